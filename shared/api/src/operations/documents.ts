import * as s from '@countersign/core/shapes.js';
import { apiOperation, OPEN } from '../operation.js';

const tag = 'documents';

const openApiStart = { openapi: '3.1.0', info: { title: 'Countersign' } };

export const getOpenapiJsonOperation = apiOperation({
  ...OPEN,
  tag,
  id: 'get-openapi-json',
  path: '/openapi.json',
  summary: 'This description as JSON',
  description: 'The description of the API, made from the schemas that check the requests.',
  response: s.looseObject(),
  content: { 'application/json': 'An OpenAPI 3.1 document.' },
  example: { response: openApiStart },
});

export const getOpenapiYamlOperation = apiOperation({
  ...OPEN,
  tag,
  id: 'get-openapi-yaml',
  path: '/openapi.yaml',
  summary: 'This description as YAML',
  description: 'The same document as `/openapi.json`, for readers of YAML.',
  response: s.string(),
  content: { 'application/yaml': 'An OpenAPI 3.1 document.' },
  example: { response: 'openapi: 3.1.0\ninfo:\n  title: Countersign\n' },
});

export const getReferencePageOperation = apiOperation({
  ...OPEN,
  tag,
  id: 'get-reference-page',
  path: '/docs',
  summary: 'The API reference as a page',
  description: 'Shows this description in a browser; everything it loads comes from this service.',
  response: s.string(),
  content: { 'text/html': 'A page.' },
  example: { response: '<!doctype html>' },
});

export const getSigningGuideOperation = apiOperation({
  ...OPEN,
  tag,
  id: 'get-signing-guide',
  path: '/docs/signing-requests',
  summary: 'How to sign a request, worked out byte by byte',
  description:
    'A page with one signed request. It shows every field of the transcript in hex, the digest, the test key and the assertion, and a program that computes them.',
  response: s.string(),
  content: { 'text/html': 'A page.' },
  example: { response: '<!doctype html>' },
});

export const DOCUMENT_OPERATIONS = [
  getOpenapiJsonOperation,
  getOpenapiYamlOperation,
  getReferencePageOperation,
  getSigningGuideOperation,
] as const;
