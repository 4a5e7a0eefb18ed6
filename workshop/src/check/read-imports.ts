/** What a source file names as its imports, by its syntax. */
import { parseSync, Visitor, type Argument, type Program } from 'oxc-parser';

/**
 * The specifiers that the file of this name imports, each once: those of `import` and `export ... from`, of types too;
 * and where they are written out, those of `import(...)` (as a type too) and `require(...)`.
 * Throws where `text` cannot be parsed: nothing would be known of it.
 */
export function readImports(path: string, text: string): string[] {
  const parsed = parseSync(path, text);
  const [fault] = parsed.errors;
  if (fault !== undefined) throw new Error(`${path}: ${fault.message}`);
  const { staticImports, staticExports } = parsed.module;
  const requests = [
    ...staticImports.map(({ moduleRequest }) => moduleRequest),
    ...staticExports.flatMap(({ entries }) => entries).map(({ moduleRequest }) => moduleRequest),
  ];
  const named = requests.flatMap((request) => request?.value ?? []);
  // the tree of a whole file costs ten times as much as the list of its imports
  const isDeeper = /\b(import|require)\s*\(|\bdeclare\s+module\b/.test(text);
  return [...new Set([...named, ...(isDeeper ? readDeeper(parsed.program) : [])])];
}

function readDeeper(program: Program): string[] {
  const found: string[] = [];
  const add = (node: Argument | null | undefined): void => {
    if (node?.type === 'Literal' && typeof node.value === 'string') found.push(node.value);
    if (node?.type === 'TemplateLiteral' && node.expressions.length === 0) {
      found.push(node.quasis[0]?.value.cooked ?? '');
    }
  };
  new Visitor({
    // those within `declare module '...' {}` are in no list
    ImportDeclaration: ({ source }) => add(source),
    ExportNamedDeclaration: ({ source }) => add(source),
    ExportAllDeclaration: ({ source }) => add(source),
    ImportExpression: ({ source }) => add(source),
    TSImportType: ({ source }) => add(source),
    CallExpression: ({ callee, arguments: [first] }) => {
      if (callee.type === 'Identifier' && callee.name === 'require') add(first);
    },
  }).visit(program);
  return found;
}
