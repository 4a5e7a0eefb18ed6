/** The API explains itself: whatever it names it describes, and of every operation it shows an example. */
import { describe, expect, test } from '@jest/globals';
import { ADMIN_POLICY_TYPES } from '@countersign/api/requests/admin-policy-types.js';
import { validate } from '@countersign/api/validate.js';
import { isRefusal } from '@countersign/core/errors.js';
import type { ApiOperation } from '@countersign/api/operation.js';
import { API_OPERATIONS } from '@countersign/api/operations/api-operations.js';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describeApi } from './describe-api.js';

type Json = Readonly<Record<string, unknown>>;

const document = describeApi();

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    operation: operation as unknown as Json,
  })),
);

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Empty, or too short to say anything. */
const lacksText = (value: unknown) => typeof value !== 'string' || value.trim().length < 5;

const isReference = (value: Json) => typeof value['$ref'] === 'string';

/** Every property that is declared anywhere below, by the way that leads to it. */
function* propertiesOf(value: unknown, way: string): Generator<readonly [string, Json]> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* propertiesOf(item, `${way}.${index}`);
  }
  if (!isObject(value)) return;
  for (const [keyword, item] of Object.entries(value)) {
    if (keyword === 'example') continue;
    if (keyword === 'properties' && isObject(item)) {
      for (const [name, schema] of Object.entries(item)) {
        yield [`${way}.${name}`, schema as Json];
        yield* propertiesOf(schema, `${way}.${name}`);
      }
    } else {
      yield* propertiesOf(item, `${way}.${keyword}`);
    }
  }
}

describe('the API description', () => {
  test('has a summary, a description and the needed action of every operation', () => {
    const actions = [...ADMIN_POLICY_TYPES, 'self', 'signing_policy', 'none'];
    const mute = operations.filter(
      ({ operation }) =>
        lacksText(operation['summary']) ||
        lacksText(operation['description']) ||
        !actions.includes(operation['x-required-action'] as never),
    );
    expect(mute.map(({ name }) => name)).toEqual([]);
  });

  test('describes every tag, and the API as a whole', () => {
    expect(document.tags.filter(({ description }) => lacksText(description))).toEqual([]);
    expect(lacksText(document.info['description'])).toBe(false);
  });

  test('describes every parameter: path, query and header', () => {
    const own = operations.flatMap(({ name, operation }) =>
      (operation['parameters'] as Json[])
        .filter((parameter) => !isReference(parameter))
        .map((parameter) => [`${name} ${String(parameter['name'])}`, parameter] as const),
    );
    const shared = Object.entries(document.components['parameters']!) as [string, Json][];
    expect(own.length).toBeGreaterThan(0);
    const mute = [...own, ...shared].filter(([, parameter]) => lacksText(parameter['description']));
    expect(mute.map(([name]) => name)).toEqual([]);
  });

  test('describes every header and every response', () => {
    const headers = Object.entries(document.components['headers']!) as [string, Json][];
    const shared = Object.entries(document.components['responses']!) as [string, Json][];
    const own = operations.flatMap(({ name, operation }) =>
      Object.entries(operation['responses'] as Record<string, Json>).map(
        ([status, response]) => [`${name} ${status}`, response] as const,
      ),
    );
    const mute = [...headers, ...shared, ...own].filter(
      ([, value]) => !isReference(value) && lacksText(value['description']),
    );
    expect(mute.map(([name]) => name)).toEqual([]);
  });

  test('describes every property, in the components and in place', () => {
    const found = [
      ...propertiesOf(document.components['schemas'], 'schemas'),
      ...propertiesOf(document.components['responses'], 'responses'),
      ...propertiesOf(document.paths, 'paths'),
    ];
    expect(found.length).toBeGreaterThan(100);
    const schemas = document.components['schemas'] as Record<string, Json>;
    const mute = found.filter(([, schema]) => {
      const name = isReference(schema) ? String(schema['$ref']).split('/').at(-1)! : undefined;
      const target = name === undefined ? undefined : schemas[name];
      return lacksText(schema['description'] ?? target?.['description']);
    });
    expect(mute.map(([name]) => name)).toEqual([]);
  });
});

describe('the example of an operation', () => {
  const described = (Object.values(API_OPERATIONS) as readonly ApiOperation[]).map(
    (operation) => [operation.id, operation] as const,
  );

  test.each(described)('%s: is a request that is accepted as it stands', (_id, operation) => {
    const { query, body, bodyOptional, example } = operation;
    const parsedQuery = validate(query, example.query ?? {});
    expect(isRefusal(parsedQuery) ? parsedQuery : undefined).toBeUndefined();
    if (bodyOptional !== true) expect(example.body).toBeDefined();
    const parsedBody = validate(body, example.body ?? {});
    expect(isRefusal(parsedBody) ? parsedBody : undefined).toBeUndefined();
    for (const { schema, example: value } of Object.values(operation.params)) {
      expect(isRefusal(validate(schema, value))).toBe(false);
    }
  });

  test.each(described)('%s: is an answer that the operation can give', (_id, operation) => {
    const parsed = operation.response.read(operation.example.response);
    expect(parsed).toHaveProperty('value');
  });

  test('stands in the document with every body and every answer 200', () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema({ $id: 'api', components: document.components });
    const fits = (content: Json) => {
      const text = JSON.stringify(content['schema']).replaceAll('"#/', '"api#/');
      return (
        content['example'] !== undefined &&
        ajv.validate(JSON.parse(text) as object, content['example'])
      );
    };
    const missing = operations.flatMap(({ name, operation }) => {
      const { requestBody, responses } = operation as {
        requestBody?: { content: Record<string, Json> };
        responses: Record<string, { content?: Record<string, Json> }>;
      };
      const places = [
        ...Object.values(requestBody?.content ?? {}),
        Object.values(responses['200']?.content ?? {})[0] ?? {},
      ];
      return places.every(fits) ? [] : [name];
    });
    expect(missing).toEqual([]);
  });
});
