import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { blocksOf, spansOf } from './runbook-blocks.js';

const FOLDER = new URL('../../../../docs/how-to/runbooks/', import.meta.url);
const NAMES = readdirSync(FOLDER).filter((name) => name.endsWith('.md') && name !== 'README.md');

describe('a runbook', () => {
  it('is headings, paragraphs, lists and commands', () => {
    const text =
      '# name\n\nFor whom:\nall.\n\n## First\n\n```sh\na\n\nb\n```\n\n- one\n  more\n- two\n\n| a | b |\n|---|---|\n| 1 | `2` |\n';
    expect(blocksOf(text)).toEqual([
      { kind: 'title', text: 'name' },
      { kind: 'paragraph', text: 'For whom: all.' },
      { kind: 'heading', text: 'First' },
      { kind: 'command', text: 'a\n\nb' },
      { kind: 'list', items: ['one more', 'two'] },
      {
        kind: 'table',
        rows: [
          ['a', 'b'],
          ['1', '`2`'],
        ],
      },
    ]);
  });

  it('leads to other runbooks, and to nothing else', () => {
    expect(spansOf('Run `x y`, see [that](that.md) or [the end](../a.md#b).')).toEqual([
      { text: 'Run ', isCode: false },
      { text: 'x y', isCode: true },
      { text: ', see ', isCode: false },
      { text: 'that', isCode: false, runbook: 'that' },
      { text: ' or ', isCode: false },
      { text: 'the end', isCode: false },
      { text: '.', isCode: false },
    ]);
  });
});

it.each(NAMES)('%s shows whole: nothing of its markup is left', (name) => {
  const blocks = blocksOf(readFileSync(new URL(name, FOLDER), 'utf8'));
  expect(blocks[0]).toEqual({ kind: 'title', text: name.slice(0, -3) });
  expect(blocks.some(({ kind }) => kind === 'command')).toBe(true);
  const shown = blocks
    .flatMap((block) => {
      if (block.kind === 'command') return [];
      if (block.kind === 'table') return block.rows.flat();
      return block.kind === 'list' ? block.items : [block.text];
    })
    .flatMap(spansOf);
  for (const { text, isCode } of shown) if (!isCode) expect(text).not.toMatch(/[`|]|\]\(|^#|\*\*/);
});
