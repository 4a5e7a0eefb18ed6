/**
 * Whether a Mermaid diagram can be drawn, without a browser. `@mermaid-js/tiny` is the project's own bundle of Mermaid
 * without mind maps, architecture diagrams and formulas: one package of one file, where `mermaid` itself brings 115 others.
 * It runs in a context of its own, since it writes to the global object.
 */
import { readFileSync } from 'node:fs';
import { createContext, Script } from 'node:vm';

interface Mermaid {
  /** Rejects with what is wrong, and in which line. */
  parse(diagram: string): Promise<{ readonly diagramType: string }>;
}

/** What DOMPurify, inside the bundle, looks for before it defines anything; it then leaves texts as they are. */
function pretendedBrowser() {
  const names = ['DOMParser', 'Element', 'HTMLFormElement', 'HTMLTemplateElement', 'NamedNodeMap'];
  const classes = [...names, 'DocumentFragment', 'Node', 'NodeFilter'].map((name) => [
    name,
    class {},
  ]);
  const addEventListener = () => {};
  const document = { nodeType: 9, implementation: {}, createElement: () => ({}), addEventListener };
  return { ...Object.fromEntries(classes), document, addEventListener };
}

export function loadMermaid(): Mermaid {
  const path = new URL('../../node_modules/@mermaid-js/tiny/dist/mermaid.tiny.js', import.meta.url);
  const given = {
    console,
    setTimeout,
    clearTimeout,
    structuredClone,
    TextDecoder,
    TextEncoder,
    URL,
  };
  const context = createContext({ ...given, ...pretendedBrowser() });
  context['window'] = context;
  new Script(readFileSync(path, 'utf8')).runInContext(context);
  return context['mermaid'] as Mermaid;
}
