/** `npm run pictures`: draws each Mermaid diagram of a page as the SVG that the page names. Needs Chromium. */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { diagramsOf, stampOf } from './page-diagrams.js';

/** The part of Mermaid that is used within the browser. */
interface Mermaid {
  initialize(settings: object): void;
  render(id: string, diagram: string): Promise<{ readonly svg: string }>;
}

const SETTINGS = {
  startOnLoad: false,
  securityLevel: 'strict',
  theme: 'default',
  // a slice has the colour of its legend, and no line crosses a label
  themeVariables: { pieOpacity: '1' },
  themeCSS: '.edgeLabel rect, rect.background { fill: white !important; opacity: 1 !important }',
  // text that every viewer shows, not HTML inside of SVG
  htmlLabels: false,
  flowchart: { htmlLabels: false },
  fontFamily: 'DejaVu Sans, Verdana, sans-serif',
};

/** A page that is dark shows through where nothing is drawn. */
const onWhite = (svg: string) => svg.replace(/(<svg[^>]* style=")/, '$1background: white; ');

const drawings = globSync(['README.md', 'docs/**/*.md']).flatMap((page) =>
  diagramsOf(readFileSync(page, 'utf8')).map(({ line, source, picture }) => {
    if (picture === undefined) throw new Error(`${page}:${line}: no link to a picture follows`);
    return { path: join(dirname(page), picture), source };
  }),
);

const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  const page = await browser.newPage();
  await page.addScriptTag({ path: fileURLToPath(import.meta.resolve('@mermaid-js/tiny')) });
  for (const { path, source } of drawings) {
    const svg = await page.evaluate(
      async ({ settings, diagram }) => {
        const { mermaid } = globalThis as unknown as { readonly mermaid: Mermaid };
        mermaid.initialize(settings);
        return (await mermaid.render('picture', diagram)).svg;
      },
      { settings: SETTINGS, diagram: source },
    );
    writeFileSync(path, `${stampOf(source)}\n${onWhite(svg)}\n`);
    process.stdout.write(`${path}\n`);
  }
} finally {
  await browser.close();
}
