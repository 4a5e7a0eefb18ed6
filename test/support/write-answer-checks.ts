/**
 * What the service's own API description says of its answers, as code that checks them. Made once for a run of the tests: to
 * describe the API and to compile its schemas takes a second of processor time, and each test file is a world of its own.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standaloneModule from 'ajv/dist/standalone/index.js';
import addFormatsModule from 'ajv-formats';
import { describeApi } from '../../gateway/dist/pages/describe-api.js';
import { CHECKS_CODE, CHECKS_TABLE, type DeclaredAnswers } from './checked-client.ts';

interface Declared {
  readonly $ref?: string;
  readonly content?: Record<string, { schema?: object }>;
}

interface Description {
  readonly paths: Record<string, Record<string, { responses: Record<string, Declared> }>>;
  readonly components: {
    readonly schemas: Record<string, unknown>;
    readonly responses: Record<string, Declared>;
  };
}

/** Names of what checks a schema, by the schema's text. */
type CheckNames = Map<string, string>;

/** Writes what `checked-client.ts` reads into a folder. */
export function writeAnswerChecks(folder: string): void {
  const description = describeApi() as unknown as Description;
  const names: CheckNames = new Map();
  const table = mapValues(description.paths, (operations) =>
    mapValues(operations, ({ responses }) =>
      mapValues(responses, (declared) => contentOf(declared, description, names)),
    ),
  );
  writeFileSync(join(folder, CHECKS_TABLE), JSON.stringify(table satisfies DeclaredAnswers));
  writeFileSync(join(folder, CHECKS_CODE), codeOf(description, names));
}

function contentOf(declared: Declared, { components }: Description, names: CheckNames) {
  const name = declared.$ref?.split('/').at(-1);
  const { content = {} } = name === undefined ? declared : components.responses[name]!;
  return mapValues(content, ({ schema }) => (schema === undefined ? null : nameOf(schema, names)));
}

function nameOf(schema: object, names: CheckNames): string {
  const text = JSON.stringify(schema).replaceAll('"#/components', '"api#/components');
  const name = names.get(text) ?? `answer${names.size}`;
  names.set(text, name);
  return name;
}

function codeOf({ components }: Description, names: CheckNames): string {
  const ajv = new Ajv2020({ strict: false, allErrors: true, code: { source: true } });
  (addFormatsModule as unknown as { default: (target: Ajv2020) => void }).default(ajv);
  ajv.addSchema({ $id: 'api', components });
  for (const [text, name] of names) ajv.addSchema(JSON.parse(text) as object, name);
  const exported = Object.fromEntries([...names.values()].map((name) => [name, name]));
  const { default: toCode } = standaloneModule as unknown as {
    default: (target: Ajv2020, names: Record<string, string>) => string;
  };
  return toCode(ajv, exported);
}

function mapValues<From, To>(
  values: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]));
}
