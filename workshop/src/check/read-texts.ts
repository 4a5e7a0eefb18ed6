/** What programs say to people: the texts of the API description, and those in sources. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor, type JSXChild, type TemplateLiteral } from 'oxc-parser';

/** Every summary and description of an OpenAPI document, each once, as paragraphs. */
export function textsOfApi(document: unknown): string {
  const texts = new Set<string>();
  JSON.stringify(document, (name, value: unknown) => {
    const isText = typeof value === 'string' && (name === 'description' || name === 'summary');
    if (isText) texts.add(value);
    return value;
  });
  return asParagraphs(texts);
}

/** What stands in a text for a value, with an upper-case letter as a name has one. */
const VALUE = 'X';
/** Sentences have blanks between words; statements of SQL and styles do, too. */
/** A table of names has none of these. */
const COMMON_WORD = /\b(a|an|and|are|by|for|has|in|is|it|no|not|of|or|the|this|to|was|with)\b/i;
const SENTENCE = /^[`"'(]*\p{L}[^;{}]*(\s\S+){3}/u;
const OTHER_LANGUAGE = /\b(SELECT|INSERT|UPDATE|DELETE|CREATE|GRANT|ALTER|FROM)\b|;\s|=>|\{/;

/** The texts in one source that could be sentences: literals, templates, and what JSX shows. */
export function textsIn(path: string, source: string): string[] {
  const texts: string[] = [];
  const add = (text: string) => {
    const line = text.replaceAll(/\s+/g, ' ').trim();
    const isSaid = SENTENCE.test(line) && COMMON_WORD.test(line) && !OTHER_LANGUAGE.test(line);
    if (isSaid) texts.push(line);
  };
  const addChildren = (children: readonly JSXChild[]) =>
    add(children.map((child) => (child.type === 'JSXText' ? child.value : VALUE)).join(''));
  new Visitor({
    Literal: ({ value }) => {
      if (typeof value === 'string') add(value);
    },
    TemplateLiteral: (template: TemplateLiteral) =>
      add(template.quasis.map(({ value }) => value.cooked ?? '').join(VALUE)),
    JSXElement: ({ children }) => addChildren(children),
    JSXFragment: ({ children }) => addChildren(children),
  }).visit(parseSync(path, source).program);
  return texts;
}

export function readTexts(folder: string): string {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.tsx?$/.test(name) && !/(^|\/)(dist|node_modules|bundle)\/|\.test\.ts$/.test(name),
  );
  return asParagraphs(
    paths.toSorted().flatMap((name) => {
      const path = join(folder, name);
      return textsIn(path, readFileSync(path, 'utf8'));
    }),
  );
}

const asParagraphs = (texts: Iterable<string>) => [...new Set(texts)].join('\n\n');
