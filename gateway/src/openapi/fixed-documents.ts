import { createReferencePage } from './reference-page.js';
import { describeApi } from './describe-api.js';
import { stringify } from 'yaml';

export interface FixedDocument {
  readonly contentType: string;
  readonly body: string | Buffer;
}

/** The API description as JSON and YAML, and the page that shows it, by path. */
export function createDocuments(): ReadonlyMap<string, FixedDocument> {
  const description = describeApi();
  return new Map<string, FixedDocument>([
    ['/openapi.json', { contentType: 'application/json', body: JSON.stringify(description) }],
    ['/openapi.yaml', { contentType: 'application/yaml', body: stringify(description) }],
    ...Object.entries(createReferencePage()),
  ]);
}
