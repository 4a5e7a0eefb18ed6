/** The API reference page: Swagger UI from the installed package. It loads nothing from elsewhere. */
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
    <link rel="stylesheet" href="/docs/reference-page.css">
  </head>
  <body>
    <p class="guide"><a href="/docs/signing-requests">How to sign a request</a></p>
    <div id="reference"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/reference-page.js"></script>
  </body>
</html>
`;

/** The page only reads: it cannot send requests, since no page should hold the caller's signing key. */
const PAGE_SCRIPT = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  validatorUrl: null,
  supportedSubmitMethods: [],
});
`;

/**
 * Hides the authorization form, because the page sends nothing, and the column of links, which no answer has: it made
 * the page wider than a phone.
 */
const STYLE = `body { margin: 0; }
.guide { font: 16px/1.5 sans-serif; margin: 1rem auto 0; max-width: 1460px; padding: 0 20px; box-sizing: border-box; }
.swagger-ui .scheme-container, .swagger-ui .authorization__btn { display: none; }
.swagger-ui .response-col_links { display: none; }
@media (max-width: 640px) {
  .swagger-ui .opblock-tag { flex-wrap: wrap; }
  .swagger-ui .opblock-tag > a { flex: 1; }
  .swagger-ui .opblock-tag small { flex: 0 0 100%; order: 1; padding: 0; }
}
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
    '/docs/reference-page.css': { contentType: 'text/css; charset=utf-8', body: STYLE },
    ...createSigningPage(),
    ...(Object.fromEntries(assets) as Record<string, StaticDocument>),
  };
}
