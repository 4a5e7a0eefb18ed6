/** The API description, made from the schemas that check the requests. */
import { errorBody, processingStatus } from '@countersign/api/common-schema.js';
import type {
  HttpMethod,
  LedgerOperation,
  RequestTarget,
} from '@countersign/vault/operations/operation.js';
import type { SigningOperation } from '@countersign/vault/operations/signing-operation.js';
import type { z } from 'zod';
import type { ReadOperation } from '../reads/read-operation.js';
import {
  createSchemaCollector,
  isEmptyObject,
  queryFields,
  type JsonSchema,
  type SchemaCollector,
} from './json-schema.js';
import {
  CREDENTIAL_ONLY,
  CREDENTIAL_SECURITY,
  ERROR_RESPONSES,
  REQUEST_ID_HEADER,
  SECURITY_SCHEMES,
  SHARED_HEADERS,
  SHARED_PARAMETERS,
  SIGNED,
  WRITE_PREFERENCES,
  WRONG_CONTENT_TYPE_RESPONSE,
  sharedResponses,
} from './shared-components.js';
import { TEXT_ROUTES, type TextRoute } from './text-routes.js';

/** A service endpoint: no credential, one JSON body per status. */
export interface DescribedRoute extends RequestTarget {
  readonly id: string;
  readonly summary: string;
  readonly responses: Readonly<Record<number, z.ZodType>>;
}

export interface DescribedApi {
  readonly ledgerOperations: readonly LedgerOperation[];
  readonly signingOperations: readonly SigningOperation[];
  readonly readOperations: readonly ReadOperation[];
  readonly serviceRoutes: readonly DescribedRoute[];
  readonly textRoutes?: readonly TextRoute[];
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: Readonly<Record<string, string>>;
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security: readonly unknown[];
  readonly parameters: readonly unknown[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
}

interface Described {
  readonly target: RequestTarget;
  readonly operation: OpenApiOperation;
}

const METHOD_ORDER: readonly HttpMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The same input gives the same document, byte for byte. */
export function createOpenApiDocument(api: DescribedApi): OpenApiDocument {
  const schemas = createSchemaCollector();
  const described = [
    ...api.ledgerOperations.map((operation) => describeWrite(schemas, operation)),
    ...api.signingOperations.map((operation) => describeWrite(schemas, operation)),
    ...api.readOperations.map((operation) => describeRead(schemas, operation)),
    ...api.serviceRoutes.map((route) => describeService(schemas, route)),
    ...(api.textRoutes ?? TEXT_ROUTES).map(describeText),
  ];
  const responses = sharedResponses(schemas.describe(errorBody));
  return withoutSharedObjects({
    openapi: '3.1.0',
    info: {
      title: 'Countersign',
      version: '0.1.0',
      summary: 'Self-hosted key-custody and signing vault',
    },
    tags: [...new Set(described.flatMap(({ operation }) => operation.tags))]
      .toSorted()
      .map((name) => ({ name })),
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

/** A YAML writer would turn an object that stands in two places into an anchor and an alias. */
function withoutSharedObjects(document: OpenApiDocument): OpenApiDocument {
  return JSON.parse(JSON.stringify(document)) as OpenApiDocument;
}

function pathsOf(described: readonly Described[]): OpenApiDocument['paths'] {
  const paths = [...new Set(described.map(({ target }) => target.path))].toSorted();
  return Object.fromEntries(
    paths.map((path) => {
      const operations = described
        .filter(({ target }) => target.path === path)
        .toSorted((a, b) => rankOf(a.target.method) - rankOf(b.target.method))
        .map(({ target, operation }) => [target.method.toLowerCase(), operation]);
      return [path, Object.fromEntries(operations) as Record<string, OpenApiOperation>];
    }),
  );
}

function rankOf(method: HttpMethod): number {
  return METHOD_ORDER.indexOf(method);
}

interface Write extends RequestTarget {
  readonly id: string;
  readonly summary: string;
  readonly query: z.ZodType;
  readonly body: z.ZodType;
  readonly bodyOptional?: boolean;
  readonly response: z.ZodType;
}

function describeWrite(schemas: SchemaCollector, write: Write): Described {
  const body = requestBody(schemas, write.body, write.bodyOptional !== true);
  return {
    target: write,
    operation: {
      ...headOf(write),
      security: CREDENTIAL_SECURITY,
      parameters: [
        ...pathParameters(write),
        ...queryParameters(write.query),
        ...parameterReferences([...SIGNED, ...WRITE_PREFERENCES]),
      ],
      ...body,
      responses: {
        200: jsonResponse('Completed.', schemas.describe(write.response)),
        202: jsonResponse('Accepted, being processed.', schemas.describe(processingStatus)),
        ...ERROR_RESPONSES,
        ...(body.requestBody !== undefined && WRONG_CONTENT_TYPE_RESPONSE),
      },
    },
  };
}

function describeRead(schemas: SchemaCollector, read: ReadOperation): Described {
  const body = read.body === undefined ? {} : requestBody(schemas, read.body, true);
  return {
    target: read,
    operation: {
      ...headOf(read),
      security: CREDENTIAL_SECURITY,
      parameters: [
        ...pathParameters(read),
        ...queryParameters(read.query),
        ...parameterReferences(read.body === undefined ? CREDENTIAL_ONLY : SIGNED),
      ],
      ...body,
      responses: {
        200: jsonResponse('Found.', schemas.describe(read.response)),
        ...ERROR_RESPONSES,
        ...(read.body !== undefined && WRONG_CONTENT_TYPE_RESPONSE),
      },
    },
  };
}

function describeService(schemas: SchemaCollector, route: DescribedRoute): Described {
  const answers = Object.entries(route.responses).map(([status, schema]) => [
    status,
    jsonResponse(status === '200' ? 'Found.' : 'Not available.', schemas.describe(schema)),
  ]);
  return {
    target: route,
    operation: {
      ...headOf(route),
      security: [],
      parameters: pathParameters(route),
      responses: {
        ...(Object.fromEntries(answers) as Record<string, unknown>),
        ...(route.path.startsWith('/v1/') && ERROR_RESPONSES),
      },
    },
  };
}

function describeText(route: TextRoute): Described {
  const content = Object.entries(route.content).map(([mediaType, description]) => [
    mediaType,
    {
      schema: mediaType === 'application/json' ? { description } : { type: 'string', description },
    },
  ]);
  return {
    target: route,
    operation: {
      ...headOf(route),
      security: route.needsCredential ? CREDENTIAL_SECURITY : [],
      parameters: [
        ...pathParameters(route),
        ...(route.query === undefined ? [] : queryParameters(route.query)),
        ...(route.needsCredential ? parameterReferences(CREDENTIAL_ONLY) : []),
      ],
      responses: {
        200: {
          description: 'Found.',
          headers: REQUEST_ID_HEADER,
          content: Object.fromEntries(content) as Record<string, unknown>,
        },
        ...(route.needsCredential && ERROR_RESPONSES),
      },
    },
  };
}

function headOf({ id, summary, path }: RequestTarget & { id: string; summary: string }) {
  return { operationId: id, summary, tags: [tagOf(path)] };
}

/** The resource that a path is about. */
function tagOf(path: string): string {
  if (!path.startsWith('/v1/')) return 'service';
  if (path.includes('/wallets')) return 'wallets';
  const resource = path.split('/')[2]!;
  if (resource === 'info' || resource === 'system-info') return 'service';
  if (resource === 'whoami') return 'users';
  return resource === 'system-settings' ? 'system' : resource;
}

function pathParameters({ path }: RequestTarget) {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: name === 'address' ? { type: 'string' } : { type: 'string', format: 'uuid' },
  }));
}

function queryParameters(query: z.ZodType) {
  return queryFields(query).map(({ name, required, schema }) => ({
    name,
    in: 'query',
    required,
    schema,
  }));
}

function parameterReferences(names: readonly string[]) {
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

function requestBody(
  schemas: SchemaCollector,
  body: z.ZodType,
  required: boolean,
): { requestBody?: unknown } {
  if (isEmptyObject(body)) return {};
  const content = { 'application/json': { schema: schemas.describe(body) } };
  return { requestBody: { required, content } };
}

function jsonResponse(description: string, schema: JsonSchema) {
  return { description, headers: REQUEST_ID_HEADER, content: { 'application/json': { schema } } };
}
