import { z } from 'zod';
import { apiOperation, OPEN } from '../operation.js';

const tag = 'documents';

const openApiStart = { openapi: '3.1.0', info: { title: 'Countersign' } };

export const getOpenapiJsonOperation = apiOperation({
  ...OPEN,
  tag,
  id: 'get-openapi-json',
  method: 'GET',
  path: '/openapi.json',
  summary: 'This description as JSON',
  description: 'The description of the API, made from the schemas that check the requests.',
  response: z.looseObject({}),
  content: { 'application/json': 'An OpenAPI 3.1 document.' },
  example: { response: openApiStart },
});

export const getOpenapiYamlOperation = apiOperation({
  ...OPEN,
  tag,
  id: 'get-openapi-yaml',
  method: 'GET',
  path: '/openapi.yaml',
  summary: 'This description as YAML',
  description: 'The same document as `/openapi.json`, for readers of YAML.',
  response: z.string(),
  content: { 'application/yaml': 'An OpenAPI 3.1 document.' },
  example: { response: 'openapi: 3.1.0\ninfo:\n  title: Countersign\n' },
});

export const DOCUMENT_OPERATIONS = [getOpenapiJsonOperation, getOpenapiYamlOperation] as const;
