/** Makes the API description from the contract alone: the schemas in it are those that check requests. */
import { describeBody, describeQuery } from '@countersign/api/request-texts.js';
import { errorBody, processingStatus } from '@countersign/api/common-schema.js';
import type { ApiOperation } from '@countersign/api/operation.js';
import type { PathParameter } from '@countersign/api/path-parameters.js';
import type { HttpMethod, OperationAction } from '@countersign/api/requests/api-request.js';
import {
  createSchemaCollector,
  isEmptyObject,
  type JsonSchema,
  type SchemaCollector,
} from './json-schema.js';
import {
  CREDENTIAL_ONLY,
  CREDENTIAL_SECURITY,
  ERROR_RESPONSES,
  PAGE_ERRORS,
  REQUEST_ID_HEADER,
  TIMED_HEADERS,
  SECURITY_SCHEMES,
  SHARED_HEADERS,
  SHARED_PARAMETERS,
  SIGNED,
  WRITE_PREFERENCES,
  WRONG_CONTENT_TYPE_RESPONSE,
  sharedResponses,
} from './shared-components.js';

export interface DescribedApi {
  readonly version: string;
  readonly operations: readonly ApiOperation[];
  /** Groups of operations, with a description of each. */
  readonly tags: Readonly<Record<string, string>>;
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: Readonly<Record<string, string>>;
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly 'x-required-action': string;
  readonly security: readonly unknown[];
  readonly parameters: readonly unknown[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
}

const METHOD_ORDER: readonly HttpMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const ABOUT = [
  'Every request but those of the service itself names its caller in the header `authorization`. A request that changes or signs something, or has a body, is signed as well. `/docs/signing-requests` shows how, byte by byte.',
  'The administrative policy decides what a caller may do. `x-required-action` names the action that an operation needs. `self` means any known caller, `signing_policy` that the signing policies decide instead, `none` no credential. What no policy allows is refused with 403. While the whole system is frozen, every change but freezing and unfreezing is refused with 403.',
  'An operation that answers 202 goes on. `GET /v1/requests/{request_id}` tells its outcome. With an `Idempotency-Key` a request can be sent again, signed anew, and is carried out once.',
  'Lists come in pages. `next_cursor` of one answer is the parameter `cursor` of the next request with the same filters. It is null on the last page.',
  'Unknown fields and parameters are refused. Ids are UUIDs in lower case, times RFC 3339 in UTC with milliseconds, amounts decimal strings, and binary values base64 unless something else is said.',
].join('\n\n');

/** The same input gives the same document, byte for byte. */
export function createOpenApiDocument(api: DescribedApi): OpenApiDocument {
  const schemas = createSchemaCollector();
  const described = api.operations.map((operation) => ({
    path: operation.path,
    method: operation.method,
    operation: describeOperation(schemas, operation),
  }));
  const responses = sharedResponses(schemas.describe(errorBody));
  return withoutSharedObjects({
    openapi: '3.1.0',
    info: {
      title: 'Countersign',
      version: api.version,
      summary: 'Self-hosted key-custody and signing vault',
      description: ABOUT,
    },
    // whichever vault serves the document
    servers: [{ url: '/', description: 'The vault that serves this description.' }],
    tags: Object.entries(api.tags).map(([name, description]) => ({ name, description })),
    paths: pathsOf(described),
    components: {
      schemas: schemas.components(),
      parameters: SHARED_PARAMETERS,
      headers: SHARED_HEADERS,
      responses,
      securitySchemes: SECURITY_SCHEMES,
    },
  });
}

/** Copies shared objects, which a YAML writer would turn into anchors and aliases. */
function withoutSharedObjects(document: OpenApiDocument): OpenApiDocument {
  return JSON.parse(JSON.stringify(document)) as OpenApiDocument;
}

interface Described {
  readonly path: string;
  readonly method: HttpMethod;
  readonly operation: OpenApiOperation;
}

function pathsOf(described: readonly Described[]): OpenApiDocument['paths'] {
  const paths = [...new Set(described.map(({ path }) => path))].toSorted();
  return Object.fromEntries(
    paths.map((path) => {
      const operations = described
        .filter((entry) => entry.path === path)
        .toSorted((a, b) => rankOf(a.method) - rankOf(b.method))
        .map(({ method, operation }) => [method.toLowerCase(), operation]);
      return [path, Object.fromEntries(operations) as Record<string, OpenApiOperation>];
    }),
  );
}

function rankOf(method: HttpMethod): number {
  return METHOD_ORDER.indexOf(method);
}

function describeOperation(schemas: SchemaCollector, operation: ApiOperation): OpenApiOperation {
  const body = requestBody(schemas, operation);
  const needsCredential = operation.authentication !== 'none';
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: `${operation.description}\n\n${requirementOf(operation.action)}`,
    tags: [operation.tag],
    'x-required-action': operation.action,
    security: needsCredential ? CREDENTIAL_SECURITY : [],
    parameters: [
      ...pathParameters(schemas, operation),
      ...queryParameters(schemas, operation),
      ...headerParameters(operation),
    ],
    ...body,
    responses: {
      ...answers(schemas, operation),
      ...(needsCredential || operation.path.startsWith('/v1/') ? ERROR_RESPONSES : PAGE_ERRORS),
      ...(body.requestBody !== undefined && WRONG_CONTENT_TYPE_RESPONSE),
    },
  };
}

function requirementOf(action: OperationAction): string {
  switch (action) {
    case 'none':
      return 'Needs no credential.';
    case 'self':
      return 'Needs a known caller, and no administrative action.';
    case 'signing_policy':
      return 'Needs signing policies that allow it, and no administrative action.';
    default:
      return `Needs the administrative action \`${action}\`.`;
  }
}

function pathParameters(schemas: SchemaCollector, { path, params }: ApiOperation) {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const { description, schema, example } = params[name] as PathParameter;
    return {
      name,
      in: 'path',
      required: true,
      description,
      schema: schemas.describe(schema),
      example,
    };
  });
}

function queryParameters(schemas: SchemaCollector, { query, texts, example }: ApiOperation) {
  const values = (example.query ?? {}) as Readonly<Record<string, string>>;
  return schemas.queryFields(describeQuery(query, texts)).map(({ name, ...field }) => {
    const value = values[name];
    const shown = field.schema['type'] === 'integer' ? Number(value) : value;
    return { name, in: 'query', ...field, ...(value !== undefined && { example: shown }) };
  });
}

function headerParameters({ authentication, isAsync }: ApiOperation) {
  const names = [
    ...{ none: [], credential: CREDENTIAL_ONLY, signed: SIGNED }[authentication],
    ...(isAsync === true ? WRITE_PREFERENCES : []),
  ];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

function requestBody(
  schemas: SchemaCollector,
  { body, bodyOptional, texts, example }: ApiOperation,
): { requestBody?: unknown } {
  if (isEmptyObject(body)) return {};
  const content = {
    'application/json': {
      schema: schemas.describe(describeBody(body, texts)),
      example: example.body ?? {},
    },
  };
  return { requestBody: { required: bodyOptional !== true, content } };
}

function answers(schemas: SchemaCollector, operation: ApiOperation): Record<string, unknown> {
  const schema = schemas.describe(operation.response);
  const { isAsync, alsoAnswers, content, example } = operation;
  if (content !== undefined) return { 200: textAnswer(operation, schema) };
  const headers = operation.tag === 'signing' ? TIMED_HEADERS : REQUEST_ID_HEADER;
  const jsonAnswer = (description: string, of: JsonSchema, shown?: unknown) =>
    answerOf(description, headers, { schema: of, ...(shown !== undefined && { example: shown }) });
  return {
    200: jsonAnswer(isAsync === true ? 'Completed.' : 'Found.', schema, example.response),
    ...(isAsync === true && {
      202: jsonAnswer('Accepted, being processed.', schemas.describe(processingStatus)),
    }),
    ...Object.fromEntries(
      (alsoAnswers ?? []).map((status) => [status, jsonAnswer('Not available.', schema)]),
    ),
  };
}

function answerOf(description: string, headers: object, content: object) {
  return { description, headers, content: { 'application/json': content } };
}

/** The example is in the media type that is named first. */
function textAnswer({ content = {}, example }: ApiOperation, schema: JsonSchema) {
  const media = Object.entries(content).map(([mediaType, description], index) => [
    mediaType,
    { schema: { ...schema, description }, ...(index === 0 && { example: example.response }) },
  ]);
  return {
    description: 'Found.',
    headers: REQUEST_ID_HEADER,
    content: Object.fromEntries(media) as Record<string, unknown>,
  };
}
