/** Builds the page into `dist`: files of this origin alone, nothing inline, so that a strict policy lets all of it run. */
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const platform = (name: string) => join(import.meta.dirname, 'src/platform', name);

export default defineConfig({
  base: '/console/',
  plugins: [react(), withoutTexts()],
  resolve: {
    // what the shared code takes from Node, in a browser
    alias: {
      'node:crypto': platform('browser-crypto.ts'),
      'node:buffer': platform('browser-buffer.ts'),
      'sodium-native': join(import.meta.dirname, '../client/src/platform/sodium-in-script.ts'),
    },
  },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // a picture inside a script would be a `data:` address; a script inside the page would be inline
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      transform: { inject: { Buffer: [platform('browser-buffer.ts'), 'Buffer'] } },
    },
  },
});

/**
 * Leaves out what the API's description says to people: the page shows none of it, and it would be a quarter of what a
 * browser loads first. Shapes and operations stay as they are.
 */
function withoutTexts(): Plugin {
  return {
    name: 'without-texts',
    transform: {
      filter: { id: /\/shared\/api\/dist\/.*\.js$/ },
      handler(code) {
        const cuts = cutsIn(this.parse(code)).toSorted((a, b) => b.start - a.start);
        const left = cuts.reduce(
          (text, { start, end, instead }) => text.slice(0, start) + instead + text.slice(end),
          code,
        );
        return { code: left, map: null };
      },
    },
  };
}

interface Cut {
  readonly start: number;
  readonly end: number;
  readonly instead: string;
}

/** As ESTree has it. */
interface Node extends Record<string, unknown> {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/** Names of properties, with the types of node that hold a text: a field of a request has a shape under the same name. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  summary: ['Literal', 'TemplateLiteral', 'BinaryExpression'],
  description: ['Literal', 'TemplateLiteral', 'BinaryExpression'],
  example: ['ObjectExpression'],
  texts: ['Identifier'],
};

function cutsIn(value: unknown): Cut[] {
  if (typeof value !== 'object' || value === null) return [];
  const node = value as Node;
  const { callee, key, value: held } = node as { [name: string]: Node | undefined };
  if (node.type === 'CallExpression' && nameOf(callee?.['property']) === 'describe') {
    const { end } = callee!['object'] as Node;
    return [{ start: end, end: node.end, instead: '' }, ...cutsIn(callee!['object'])];
  }
  if (node.type === 'Property' && TEXTS[nameOf(key)]?.includes(held?.type ?? '') === true) {
    return [{ start: held!.start, end: held!.end, instead: 'undefined' }];
  }
  return Object.values(node).flatMap(cutsIn);
}

function nameOf(node: unknown): string {
  return (node as { name?: string } | undefined)?.name ?? '';
}
