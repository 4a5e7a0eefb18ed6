/** The Mermaid diagrams of a page, and the pictures that are drawn of them. */
import { createHash } from 'node:crypto';

export interface PageDiagram {
  /** On which it begins, from 1. */
  readonly line: number;
  readonly source: string;
  /** Where its SVG lies, as the page names it; undefined where no link to one follows it. */
  readonly picture: string | undefined;
}

const DIAGRAM =
  /^```mermaid\n([\s\S]*?)^```$(?:\n\n\[[^\]]*\]\(([\w./-]*pictures\/[\w-]+\.svg)\)$)?/gm;

export function diagramsOf(page: string): PageDiagram[] {
  return [...page.matchAll(DIAGRAM)].map(({ index, 1: source, 2: picture }) => ({
    line: page.slice(0, index).split('\n').length,
    source: source!,
    picture,
  }));
}

/** What a picture says of its source, in its first line: whether the diagram has changed since. */
export function stampOf(source: string): string {
  const digest = createHash('sha256').update(source).digest('hex');
  return `<!-- npm run pictures drew this from a diagram with SHA-256 ${digest} -->`;
}
