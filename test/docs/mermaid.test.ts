/** A diagram that does not parse is shown as an error by whoever renders the page; others are shown its picture. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { diagramsOf, stampOf } from '../../workshop/src/pictures/page-diagrams.ts';
import { loadMermaid } from '../support/mermaid-parser.ts';
import { repoPaths } from '../support/repo-files.ts';

const mermaid = loadMermaid();
const DRAWN = repoPaths()
  .filter((path) => path.endsWith('.md'))
  .map((path) => ({ path, diagrams: diagramsOf(readFileSync(path, 'utf8')) }))
  .filter(({ diagrams }) => diagrams.length > 0);

const BROKEN = [
  'flowchart LR\n  gateway[Gateway --> party',
  'sequenceDiagram\n  bot->>: sign this',
  'sequenceDiagram\n  loop each second\n    bot->>gateway: sign this',
  'a picture of the vault',
];
const WHOLE = [
  'flowchart LR\n  subgraph room [A room]\n    a["one<br/>two"] -- "asks" --> b{{three}}\n  end',
  'sequenceDiagram\n  participant g as gateway\n  bot->>g: sign this\n  Note over bot,g: soon',
  'stateDiagram-v2\n  [*] --> undecided\n  undecided --> void: too old',
];

describe('a diagram', () => {
  it.each(BROKEN)('that is broken is refused: %j', async (diagram) => {
    await expect(mermaid.parse(diagram)).rejects.toThrow();
  });

  it.each(WHOLE)('that is whole is taken: %j', async (diagram) => {
    await expect(mermaid.parse(diagram)).resolves.toHaveProperty('diagramType');
  });

  const block = '```mermaid\nflowchart LR\n  a --> b\n```\n';
  const source = 'flowchart LR\n  a --> b\n';

  it.each([
    ['with its picture', '\n[As a picture](../pictures/a-b.svg)\n', '../pictures/a-b.svg'],
    ['without one', '\nNext, [as a picture](../pictures/a-b.svg)\n', undefined],
    ['without the picture of another', `\n${block}\n[As a picture](pictures/c.svg)`, undefined],
  ])('is found where it stands, %s', (_what, rest, picture) => {
    const page = `text\n\n${block}${rest}\n\`\`\`ts\nflowchart\n\`\`\`\n`;
    expect(diagramsOf(page)[0]).toEqual({ line: 3, source, picture });
  });

  it('has a stamp of its own', () => {
    expect(stampOf(source)).not.toBe(stampOf(`${source} `));
  });
});

describe('the pages', () => {
  it('have diagrams', () => {
    expect(DRAWN.map(({ path }) => path)).toContain('docs/explanation/architecture.md');
  });

  it.each(DRAWN)('$path parses', async ({ diagrams }) => {
    const faults = await Promise.all(
      diagrams.map(({ line, source }) =>
        mermaid.parse(source).then(
          () => [],
          (error: Error) => [`line ${line}: ${error.message}`],
        ),
      ),
    );
    expect(faults.flat()).toEqual([]);
  });

  it.each(DRAWN)('$path has a picture of each, drawn since it changed', ({ path, diagrams }) => {
    const stamps = diagrams.map(({ picture = 'none' }) => {
      const [stamp] = readFileSync(join(dirname(path), picture), 'utf8').split('\n', 1);
      return stamp;
    });
    expect(stamps).toEqual(diagrams.map(({ source }) => stampOf(source)));
  });

  it('leave no picture behind', () => {
    const named = DRAWN.flatMap(({ path, diagrams }) =>
      diagrams.map(({ picture }) => join(dirname(path), picture ?? '')),
    );
    expect(named.toSorted()).toEqual(globSync('docs/pictures/*.svg').toSorted());
  });
});
