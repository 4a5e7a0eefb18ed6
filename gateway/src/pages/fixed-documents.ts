import { createReferencePage } from './reference-page.js';
import { describeApi } from './describe-api.js';

export interface FixedDocument {
  readonly contentType: string;
  body(): Promise<string | Buffer>;
}

/** The API description as JSON and YAML, and the page that shows it, by path. */
export function createDocuments(): ReadonlyMap<string, FixedDocument> {
  const page = Object.entries(createReferencePage());
  return new Map<string, FixedDocument>([
    [
      '/openapi.json',
      { contentType: 'application/json', body: once(async () => JSON.stringify(describeApi())) },
    ],
    [
      '/openapi.yaml',
      {
        contentType: 'application/yaml',
        body: once(async () => (await import('yaml')).stringify(describeApi())),
      },
    ],
    ...page.map(
      ([path, { contentType, body }]) =>
        [path, { contentType, body: () => Promise.resolve(body) }] as const,
    ),
  ]);
}

/** Makes it on the first call: it takes a quarter of a gateway's start, and few ever ask. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}
