import { API_OPERATIONS, API_TAGS } from '@countersign/api/operations/api-operations.js';
import { VERSION } from '@countersign/api/operations/service.js';
import { createOpenApiDocument, type OpenApiDocument } from './openapi-document.js';

export function describeApi(): OpenApiDocument {
  return createOpenApiDocument({
    version: VERSION,
    operations: Object.values(API_OPERATIONS),
    tags: API_TAGS,
  });
}
