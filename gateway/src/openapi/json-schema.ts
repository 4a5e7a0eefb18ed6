import { z } from 'zod';

export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

export interface SchemaCollector {
  /** The schema as it stands in a place of the document; named ones are moved to the components. */
  describe(schema: z.ZodType): JsonSchema;
  /** Fields of a query. Its values are text; one that is read as a number is described as a number. */
  queryFields(query: z.ZodType): QueryField[];
  /** Every named schema met so far, by name, in the order of names. */
  components(): Record<string, JsonSchema>;
}

export interface QueryField {
  readonly name: string;
  readonly required: boolean;
  readonly description: string | undefined;
  readonly schema: JsonSchema;
}

/**
 * Schemas are described by what goes over the wire: of a request, what comes before any
 * transformation; of a response, which is never parsed, the same side.
 */
export function createSchemaCollector(): SchemaCollector {
  const named = new Map<string, string>();

  function collect(schema: z.ZodType): RootSchema {
    const { $schema: _, $defs, ...rest } = toJsonSchema(schema, 'input');
    for (const [name, definition] of Object.entries($defs ?? {})) {
      const text = JSON.stringify(definition);
      if ((named.get(name) ?? text) !== text) throw new Error(`two schemas are named ${name}`);
      named.set(name, text);
    }
    return rest;
  }

  return {
    describe: collect,
    queryFields(query) {
      const written = collect(query);
      const read = toJsonSchema(query, 'output');
      return Object.entries(written.properties ?? {}).map(([name, asWritten]) => {
        const asRead = read.properties?.[name];
        const { description, ...schema } = asRead?.['type'] === 'integer' ? asRead : asWritten;
        return {
          name,
          required: written.required?.includes(name) === true,
          description: (description ?? asWritten['description']) as string | undefined,
          schema,
        };
      });
    },
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

export function isEmptyObject(schema: z.ZodType): boolean {
  return schema instanceof z.ZodObject && Object.keys(schema.shape).length === 0;
}

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): RootSchema {
  const text = JSON.stringify(z.toJSONSchema(schema, { io, unrepresentable: 'any' }));
  return JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/')) as RootSchema;
}
