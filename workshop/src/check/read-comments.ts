/** The comments of a folder's sources as one page, so that they are measured as pages are. Tests are left out. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const COMMENT = /\/\*\*?([\s\S]*?)\*\/|((?:^[ \t]*\/\/ .*\n)+)/gm;
/** What begins a line of a comment. */
const MARGIN = /^\s*(\*|\/\/) ?/gm;

/** Each comment is a paragraph of its own; a tag (`@param`) begins one. */
export function commentsIn(source: string): string {
  return [...source.matchAll(COMMENT)]
    .map(([, block, lines]) => (block ?? lines!).replaceAll(MARGIN, '').trim())
    .map((comment) => comment.replaceAll(/\n+@/g, '\n\n@').replaceAll(/\{@link ([^}]*)\}/g, '`$1`'))
    .join('\n\n');
}

export function readComments(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(
      (name) =>
        /\.tsx?$/.test(name) && !/(^|\/)(dist|node_modules|bundle)\/|\.test\.ts$/.test(name),
    )
    .toSorted()
    .map((name) => commentsIn(readFileSync(join(folder, name), 'utf8')))
    .join('\n\n');
}
