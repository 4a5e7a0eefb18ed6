import { ObjectShape, type AnyShape } from '@countersign/core/shapes.js';
import { z } from 'zod';
import { toZod } from './shape-to-zod.js';

export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

export interface SchemaCollector {
  /** The schema for its place in the document; named schemas are moved to the components. */
  describe(schema: AnyShape): JsonSchema;
  /** Fields of a query. Its values are text; a field that is parsed as a number is described as one. */
  queryFields(query: AnyShape): QueryField[];
  /** Every named schema met so far, sorted by name. */
  components(): Record<string, JsonSchema>;
}

/**
 * Describes schemas by what is sent: for a request the input of any transformation, and for a response, which is never
 * parsed, the same side.
 */
export function createSchemaCollector(): SchemaCollector {
  const named = new Map<string, string>();
  const collect = (schema: RootSchema): RootSchema => {
    const { $schema: _, $defs, ...rest } = schema;
    for (const [name, definition] of Object.entries($defs ?? {})) {
      const text = JSON.stringify(definition);
      if ((named.get(name) ?? text) !== text) throw new Error(`two schemas are named ${name}`);
      named.set(name, text);
    }
    return rest;
  };
  return {
    describe: (schema) => collect(toJsonSchema(schema, 'input')),
    queryFields: (query) =>
      fieldsOf(collect(toJsonSchema(query, 'input')), toJsonSchema(query, 'output')),
    components() {
      const names = [...named.keys()].toSorted();
      return Object.fromEntries(
        names.map((name) => [name, JSON.parse(named.get(name)!) as JsonSchema]),
      );
    },
  };
}

interface RootSchema extends JsonSchema {
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

export interface QueryField {
  readonly name: string;
  readonly required: boolean;
  /** The schema's own description, moved to the parameter. */
  readonly description?: unknown;
  readonly schema: JsonSchema;
}

function fieldsOf(written: RootSchema, read: RootSchema): QueryField[] {
  return Object.entries(written.properties ?? {}).map(([name, asWritten]) => {
    const asRead = read.properties?.[name];
    const { description, ...schema } = asRead?.['type'] === 'integer' ? asRead : asWritten;
    return {
      name,
      required: written.required?.includes(name) === true,
      ...(description !== undefined && { description }),
      schema,
    };
  });
}

export function isEmptyObject(schema: AnyShape): boolean {
  return schema instanceof ObjectShape && Object.keys(schema.fields as object).length === 0;
}

function toJsonSchema(schema: AnyShape, io: 'input' | 'output'): RootSchema {
  const text = JSON.stringify(z.toJSONSchema(toZod(schema), { io, unrepresentable: 'any' }));
  return JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/')) as RootSchema;
}
