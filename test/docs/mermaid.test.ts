/** A diagram that does not parse is shown as an error by whoever renders the page. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { diagramsOf, loadMermaid } from '../support/mermaid-parser.ts';
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

  it('is found where it stands', () => {
    const page = 'text\n\n```mermaid\nflowchart LR\n  a --> b\n```\n\n```ts\nflowchart\n```\n';
    expect(diagramsOf(page)).toEqual([{ line: 3, diagram: 'flowchart LR\n  a --> b\n' }]);
  });
});

describe('the pages', () => {
  it('have diagrams', () => {
    expect(DRAWN.map(({ path }) => path)).toContain('docs/explanation/architecture.md');
  });

  it.each(DRAWN)('$path parses', async ({ diagrams }) => {
    const faults = await Promise.all(
      diagrams.map(({ line, diagram }) =>
        mermaid.parse(diagram).then(
          () => [],
          (error: Error) => [`line ${line}: ${error.message}`],
        ),
      ),
    );
    expect(faults.flat()).toEqual([]);
  });
});
