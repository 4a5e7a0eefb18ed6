/** The API reference page: Swagger UI from the installed package, nothing from the network. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createSigningPage } from './signing-page.js';

export interface StaticDocument {
  readonly contentType: string;
  readonly body: string | Buffer;
}

const ASSETS = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const;

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Countersign API</title>
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <p><a href="/docs/signing-requests">How to sign a request</a></p>
    <div id="reference"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/reference-page.js"></script>
  </body>
</html>
`;

/** Requests are signed by the caller's key, which no page should hold: the page only reads. */
const PAGE_SCRIPT = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  validatorUrl: null,
  supportedSubmitMethods: [],
});
`;

/** The page and everything it loads, by path. Reads the package's files: call it once, at start. */
export function createReferencePage(): Readonly<Record<string, StaticDocument>> {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const assets = Object.entries(ASSETS).map(([name, contentType]) => [
    `/docs/${name}`,
    { contentType, body: readFileSync(join(folder, name)) },
  ]);
  return {
    '/docs': { contentType: 'text/html; charset=utf-8', body: PAGE },
    '/docs/reference-page.js': {
      contentType: 'text/javascript; charset=utf-8',
      body: PAGE_SCRIPT,
    },
    ...createSigningPage(),
    ...(Object.fromEntries(assets) as Record<string, StaticDocument>),
  };
}
