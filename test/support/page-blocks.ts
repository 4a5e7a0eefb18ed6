/** The blocks of code on a page, as a reader copies them. */
import { readFileSync } from 'node:fs';

/** Those of one language (empty: those that name none), in their order; what a list indents stands at the margin. */
export function blocksOf(page: string, language: string): string[] {
  const fence = new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)\\n\\1\`\`\`$`, 'gm');
  return [...readFileSync(page, 'utf8').matchAll(fence)].map(([, indent, code]) =>
    code!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

/** The one block that has `text` in it. */
export function blockWith(page: string, language: string, text: string): string {
  const found = blocksOf(page, language).filter((block) => block.includes(text));
  if (found.length !== 1) throw new Error(`${page}: ${found.length} blocks with ${text}`);
  return found[0]!;
}
