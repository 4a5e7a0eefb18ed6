import { describe, expect, test } from '@jest/globals';
import { errorBody } from '@countersign/api/common-schema.js';
import { API_OPERATIONS, API_TAGS } from '@countersign/api/operations/api-operations.js';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse, stringify } from 'yaml';
import * as s from '@countersign/core/shapes.js';
import { createOpenApiDocument, type OpenApiOperation } from './openapi-document.js';

const api = { version: '0.1.0', operations: Object.values(API_OPERATIONS), tags: API_TAGS };

const document = createOpenApiDocument(api);

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
}

function resolve(pointer: string): unknown {
  return pointer
    .slice(2)
    .split('/')
    .reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], document);
}

function parametersOf(operation: OpenApiOperation): Parameter[] {
  return operation.parameters.map((parameter) => {
    const reference = (parameter as { $ref?: string }).$ref;
    return (reference === undefined ? parameter : resolve(reference)) as Parameter;
  });
}

function headersOf(operation: OpenApiOperation): string[] {
  return parametersOf(operation)
    .filter((parameter) => parameter.in === 'header')
    .map(({ name }) => name);
}

function collectReferences(value: unknown, found: string[] = []): string[] {
  if (typeof value !== 'object' || value === null) return found;
  for (const [key, item] of Object.entries(value)) {
    if (key === '$ref') found.push(item as string);
    else collectReferences(item, found);
  }
  return found;
}

/** The parts of the OpenAPI 3.1 schema that this document uses. */
const referenceOr = (definition: string) => ({
  oneOf: [
    {
      type: 'object',
      required: ['$ref'],
      additionalProperties: false,
      properties: { $ref: { type: 'string', pattern: '^#/components/' } },
    },
    { $ref: `#/$defs/${definition}` },
  ],
});
const mapOf = (definition: string) => ({
  type: 'object',
  additionalProperties: referenceOr(definition),
});
const STRUCTURE = {
  type: 'object',
  required: ['openapi', 'info', 'paths'],
  additionalProperties: false,
  properties: {
    openapi: { pattern: '^3\\.1\\.\\d+$' },
    info: {
      type: 'object',
      required: ['title', 'version'],
      additionalProperties: { type: 'string' },
    },
    servers: {
      type: 'array',
      minItems: 1,
      items: { type: 'object', required: ['url'], additionalProperties: { type: 'string' } },
    },
    tags: {
      type: 'array',
      items: { type: 'object', required: ['name'], additionalProperties: { type: 'string' } },
    },
    paths: {
      type: 'object',
      propertyNames: { pattern: '^/' },
      additionalProperties: {
        type: 'object',
        propertyNames: { enum: ['get', 'post', 'put', 'patch', 'delete'] },
        additionalProperties: { $ref: '#/$defs/operation' },
      },
    },
    components: {
      type: 'object',
      propertyNames: {
        enum: ['schemas', 'parameters', 'headers', 'responses', 'securitySchemes'],
      },
      additionalProperties: {
        type: 'object',
        propertyNames: { pattern: '^[a-zA-Z0-9._-]+$' },
      },
      properties: {
        parameters: mapOf('parameter'),
        headers: mapOf('header'),
        responses: mapOf('response'),
        securitySchemes: {
          additionalProperties: { required: ['type'], properties: { type: { type: 'string' } } },
        },
      },
    },
  },
  $defs: {
    operation: {
      type: 'object',
      required: ['operationId', 'responses'],
      additionalProperties: false,
      properties: {
        operationId: { type: 'string', pattern: '^[a-z][a-z-]*$' },
        summary: { type: 'string' },
        description: { type: 'string' },
        'x-required-action': { type: 'string' },
        tags: { type: 'array', items: { type: 'string' } },
        security: {
          type: 'array',
          items: { type: 'object', additionalProperties: { type: 'array' } },
        },
        parameters: { type: 'array', items: referenceOr('parameter') },
        requestBody: {
          type: 'object',
          required: ['content'],
          additionalProperties: false,
          properties: { required: { type: 'boolean' }, content: { $ref: '#/$defs/content' } },
        },
        responses: {
          type: 'object',
          minProperties: 1,
          propertyNames: { pattern: '^[1-5]\\d\\d$' },
          additionalProperties: referenceOr('response'),
        },
      },
    },
    parameter: {
      type: 'object',
      required: ['name', 'in', 'schema'],
      additionalProperties: false,
      properties: {
        name: { type: 'string' },
        in: { enum: ['path', 'query', 'header'] },
        required: { type: 'boolean' },
        description: { type: 'string' },
        schema: { type: 'object' },
        example: {},
      },
    },
    header: {
      type: 'object',
      required: ['schema'],
      additionalProperties: false,
      properties: { description: { type: 'string' }, schema: { type: 'object' } },
    },
    response: {
      type: 'object',
      required: ['description'],
      additionalProperties: false,
      properties: {
        description: { type: 'string' },
        headers: mapOf('header'),
        content: { $ref: '#/$defs/content' },
      },
    },
    content: {
      type: 'object',
      propertyNames: { pattern: '^[a-z]+/[a-z+-]+$' },
      additionalProperties: {
        type: 'object',
        required: ['schema'],
        additionalProperties: false,
        properties: { schema: { type: 'object' }, example: {} },
      },
    },
  },
};

describe('the document', () => {
  test('is an OpenAPI 3.1 document', () => {
    const validate = new Ajv2020({ strict: false }).compile(STRUCTURE);
    validate(document);
    expect(validate.errors).toBeNull();
    expect(document.info).toMatchObject({ title: 'Countersign', version: '0.1.0' });
  });

  test('every reference leads somewhere, and every component is referred to', () => {
    const references = new Set(collectReferences(document));
    for (const reference of references) expect(resolve(reference)).toBeDefined();
    for (const kind of ['schemas', 'parameters', 'headers', 'responses']) {
      const unused = Object.keys(document.components[kind] ?? {}).filter(
        (name) => !references.has(`#/components/${kind}/${name}`),
      );
      expect(unused).toEqual([]);
    }
  });

  test('every schema is one of JSON Schema 2020-12', () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema(document, 'api');
    for (const name of Object.keys(document.components['schemas'] ?? {})) {
      expect(() => ajv.compile({ $ref: `api#/components/schemas/${name}` })).not.toThrow();
    }
    const validateError = ajv.compile({ $ref: 'api#/components/schemas/Error' });
    expect(validateError({ err_type: 'forbidden', err_msg: 'no' })).toBe(true);
    expect(validateError({ err_type: 'other', err_msg: 'no' })).toBe(false);
  });

  test('every operation is there, once, under its own id', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(api.operations.length);
    for (const { id, path, method } of api.operations) {
      expect(document.paths[path]?.[method.toLowerCase()]?.operationId).toBe(id);
    }
  });

  test('every path parameter is declared, and no other; no parameter is declared twice', () => {
    for (const { path, operation } of operations) {
      const parameters = parametersOf(operation);
      const declared = parameters.filter((parameter) => parameter.in === 'path');
      expect(declared.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
      expect(declared.every(({ required }) => required)).toBe(true);
      const places = parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
      expect(new Set(places).size).toBe(places.length);
    }
  });

  test('writes need four headers, reads one, the service none', () => {
    const four = ['authorization', 'x-request-nonce', 'x-request-timestamp', 'x-request-assertion'];
    expect(headersOf(document.paths['/v1/users']!['post']!)).toEqual([
      ...four,
      'Idempotency-Key',
      'Prefer',
    ]);
    expect(headersOf(document.paths['/v1/users']!['get']!)).toEqual(['authorization']);
    expect(headersOf(document.paths['/health']!['get']!)).toEqual([]);
    expect(document.paths['/health']!['get']!.security).toEqual([]);
    // who asks has no passkey yet, and nothing is changed
    const newcomers = headersOf(document.paths['/v1/passkeys/registration-options']!['post']!);
    expect(newcomers).toEqual(['authorization']);
    for (const { path, method, operation } of operations) {
      if (path === '/v1/passkeys/registration-options') continue;
      const headers = headersOf(operation);
      if (method !== 'get') expect(headers).toEqual(expect.arrayContaining(four));
      else expect(headers.length).toBeLessThan(2);
    }
  });

  test('writes declare 200, 202, every error, and 415 where there is a body', () => {
    const errors = ['400', '401', '403', '404', '409', '422', '500', '504'];
    const statusesOf = (path: string, method: string) =>
      Object.keys(document.paths[path]![method]!.responses);
    const withBody = ['200', '202', ...errors, '415'].toSorted();
    expect(statusesOf('/v1/users', 'post').toSorted()).toEqual(withBody);
    expect(statusesOf('/v1/users', 'delete')).toEqual(['200', '202', ...errors]);
    expect(statusesOf('/v1/users', 'get')).toEqual(['200', ...errors]);
    expect(document.paths['/v1/users']!['delete']).not.toHaveProperty('requestBody');
  });

  test('every operation says what may be wrong with a request', () => {
    for (const { path, operation } of operations) {
      expect([path, Object.keys(operation.responses)]).toEqual([
        path,
        expect.arrayContaining(['400', '500', '504']),
      ]);
    }
  });

  test('says where it is served: at the vault that it came from', () => {
    const urls = document.servers.map(({ url }) => new URL(url, 'https://vault.example').href);
    expect(urls).toEqual(['https://vault.example/']);
  });

  test('bodies are described as they are sent, and numbers of a query as numbers', () => {
    const schemas = document.components['schemas'] as Record<
      string,
      { properties: Record<string, unknown> }
    >;
    expect(schemas['SignRequest']?.properties['transaction']).toMatchObject({ type: 'string' });
    const parameters = document.paths['/v1/users']!['get']!.parameters;
    const named = (name: string) =>
      (parameters as Parameter[]).find((parameter) => parameter.name === name);
    expect(named('limit')).toMatchObject({
      in: 'query',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 100 },
      example: 50,
    });
    expect(named('is_type')).toMatchObject({
      in: 'query',
      required: false,
      schema: { $ref: '#/components/schemas/UserTypeFilter' },
      example: 'machine',
    });
    expect(schemas['UserTypeFilter']).toMatchObject({ type: 'string', enum: ['human', 'machine'] });
  });

  test('has the names that the specification uses', () => {
    const names = [
      'AdminPolicyType',
      'CreateUserRequest',
      'Info',
      'ProcessingStatus',
      'SystemInfo',
      'UpdateUserRequest',
      'User',
      'UserFullInformation',
      'UserGroup',
      'UserTypeFilter',
    ];
    const schemas = document.components['schemas'] as Record<string, Record<string, object>>;
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining(names));
    expect(Object.keys(schemas['UserGroup']!['properties']!)).toEqual([
      'id',
      'display_name',
      'description',
    ]);
  });

  test('is the same document every time, in JSON and in YAML', () => {
    expect(JSON.stringify(createOpenApiDocument(api))).toBe(JSON.stringify(document));
    const reversed = createOpenApiDocument({
      ...api,
      operations: api.operations.toReversed(),
    });
    expect(JSON.stringify(reversed)).toBe(JSON.stringify(document));
    const yaml = stringify(document);
    expect(parse(yaml)).toEqual(JSON.parse(JSON.stringify(document)));
    expect(yaml).not.toMatch(/[:-] [&*]\w/);
  });

  test('two different schemas under one name are refused', () => {
    const other = errorBody.extend({ more: errorBody }).meta({ id: 'Error' });
    const withResponse = (response: s.AnyShape) =>
      createOpenApiDocument({
        ...api,
        operations: [{ ...API_OPERATIONS['get-health'], response }],
      });
    expect(() => withResponse(other)).toThrow();
    expect(() =>
      withResponse(s.strictObject({ err_type: s.string() }).meta({ id: 'Error' })),
    ).toThrow('two schemas are named Error');
  });
});
