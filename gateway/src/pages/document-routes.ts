import type { Route } from '../http/route.js';

/** Fixed documents by path: the API description and its reference page. */
export type Documents = ReadonlyMap<
  string,
  { readonly contentType: string; body(): Promise<string | Buffer> }
>;

/** The reference page has inline styles; it loads everything from this origin. */
const DOCUMENT_CSP =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** One GET for each document, without a credential. */
export function documentRoutes(documents: Documents): Route[] {
  return [...documents].map(([path, document]) => ({
    method: 'GET',
    path,
    async handle(request, response) {
      request.resume();
      const body = await document.body();
      response.writeHead(200, {
        'content-type': document.contentType,
        'content-length': Buffer.byteLength(body),
        'content-security-policy': DOCUMENT_CSP,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      });
      response.end(body);
    },
  }));
}
