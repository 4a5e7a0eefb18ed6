/**
 * A runbook as blocks to show. Runbooks are pages of this repository: headings, paragraphs, lists,
 * tables and commands.
 */

export type Block =
  | { readonly kind: 'title' | 'heading' | 'paragraph' | 'command'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  /** The first row has the names of the columns. */
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] };

export function blocksOf(markdown: string): Block[] {
  const parts = markdown.split(/^```\w*\n([\s\S]*?)^```$/m);
  // every second part stood between fences
  return parts.flatMap((part, place): Block[] =>
    place % 2 === 1
      ? [{ kind: 'command', text: part.trimEnd() }]
      : part
          .split(/\n{2,}/)
          .map((lines) => lines.trim())
          .filter((lines) => lines !== '')
          .map(blockOf),
  );
}

function blockOf(lines: string): Block {
  if (lines.startsWith('# ')) return { kind: 'title', text: lines.slice(2) };
  if (lines.startsWith('## ')) return { kind: 'heading', text: lines.slice(3) };
  if (lines.startsWith('|')) return { kind: 'table', rows: rowsOf(lines) };
  if (!lines.startsWith('- ')) return { kind: 'paragraph', text: joined(lines) };
  return { kind: 'list', items: lines.slice(2).split('\n- ').map(joined) };
}

function rowsOf(lines: string): string[][] {
  const [head, _rule, ...rows] = lines.split('\n').map((line) => {
    const cells = line.split('|').map((cell) => cell.trim());
    return cells.slice(1, -1);
  });
  return [head ?? [], ...rows];
}

function joined(lines: string): string {
  return lines.replaceAll(/\s*\n\s*/g, ' ');
}

export interface Span {
  readonly text: string;
  readonly isCode: boolean;
  /** Name of another runbook that it leads to. */
  readonly runbook?: string;
}

const SPANS = /`([^`]+)`|\[([^\]]+)\]\(([^)]+)\)/g;

/** A link to another page than a runbook is text here: the console has no other pages of the documentation. */
export function spansOf(text: string): Span[] {
  const spans: Span[] = [];
  let end = 0;
  for (const found of text.matchAll(SPANS)) {
    const [whole, code, label = '', target = ''] = found;
    if (found.index > end) spans.push({ text: text.slice(end, found.index), isCode: false });
    const runbook = /^(\w+)\.md$/.exec(target)?.[1];
    const link = runbook === undefined ? {} : { runbook };
    spans.push(
      code === undefined
        ? { text: label.replaceAll('`', ''), isCode: false, ...link }
        : { text: code, isCode: true },
    );
    end = found.index + whole.length;
  }
  if (end < text.length) spans.push({ text: text.slice(end), isCode: false });
  return spans;
}
