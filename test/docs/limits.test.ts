/** docs/reference/limits.md: every figure there is the one of the code, or of the API's description. */
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { LIMIT_SOURCES } from '../support/limit-sources.ts';
import { tableRows } from '../support/page-tables.ts';

const PAGE = 'docs/reference/limits.md';
const ROWS = tableRows(PAGE, 'limit');

/** Each row's section and name, in the order of the page. */
const NAMES = readFileSync(PAGE, 'utf8')
  .split(/^## /m)
  .slice(1)
  .flatMap((part) => {
    const [section] = part.split('\n', 1);
    return [...part.matchAll(/^\| (?!limit \|)(\S.*?) \| /gm)].map(
      ([, name]) => `${section}: ${name}`,
    );
  });

/** Bytes, or ms; what has another unit is a number alone. */
const UNITS: Readonly<Record<string, number>> = {
  bytes: 1,
  KiB: 1_024,
  MiB: 1_048_576,
  ms: 1,
  s: 1_000,
  min: 60_000,
  h: 3_600_000,
  days: 86_400_000,
};

function figureOf(value: string): number {
  const [, digits, unit] = /^([\d,]+)(?: (\w+))?/.exec(value)!;
  return Number(digits!.replaceAll(',', '')) * (UNITS[unit ?? ''] ?? 1);
}

/** What a constant or field counts in, by its name. */
function unitOf(name: string, value: string): number {
  const isTime = /\b(?:s|min|h|days)\b/.test(value);
  if (!isTime || /ms$|Timeout$/i.test(name)) return 1;
  return /days$/i.test(name) ? UNITS['days']! : UNITS['s']!;
}

const sourceOf = (path: string) => readFileSync(path, 'utf8');

/** The value of a constant, or of a property that is written `name: value`; of other text, the number behind it. */
function valueIn(source: string, name: string): unknown {
  const [constant, member, ...rest] = name.split(/\b/).filter((part) => part !== '.');
  if (rest.length > 0) return Number(source.split(`${name} `)[1]!.split(/\D/, 1)[0]);
  const stated =
    new RegExp(`\\bconst ${constant}(?:: [^=]+)? = ([^;]+);`).exec(source) ??
    new RegExp(`\\b${constant}: ([^,\\n]+),`).exec(source);
  if (stated === null) throw new Error(`there is no ${name}`);
  const value: unknown = valueOf(stated[1]!, source);
  return member === undefined ? value : (value as Record<string, unknown>)[member];
}

/** Of an expression of numbers and of constants of the same file. */
function valueOf(expression: string, source: string): unknown {
  const names = new Set(expression.match(/\b[A-Z][A-Z0-9_]+\b/g));
  const constants = Object.fromEntries([...names].map((name) => [name, valueIn(source, name)]));
  return runInNewContext(`(${expression})`, constants);
}

interface Schema {
  readonly [word: string]: unknown;
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

const API = JSON.parse(sourceOf('docs/specs/v0.3/openapi.json')) as Schema & {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Schema>>>>;
};

function follow(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const keys = schema.$ref.split('/').slice(1);
  return follow(keys.reduce((at, key) => at[key] as Schema, API as Schema));
}

/** Every schema of that name that an alternative of this one has. */
function childrenOf(given: Schema, key: string): Schema[] {
  const schema = follow(given);
  const alternatives = ['allOf', 'anyOf', 'oneOf'].flatMap(
    (word) => (schema[word] ?? []) as Schema[],
  );
  const own =
    key === '[]' ? schema['items'] : key === '*' ? schema['additionalProperties'] : undefined;
  const child = (own as Schema | undefined) ?? schema.properties?.[key];
  return [
    ...(child === undefined ? [] : [child]),
    ...alternatives.flatMap((alternative) => childrenOf(alternative, key)),
  ];
}

function boundsOf(given: Schema): number[] {
  const schema = follow(given);
  const alternatives = ['allOf', 'anyOf', 'oneOf'].flatMap(
    (word) => (schema[word] ?? []) as Schema[],
  );
  const own = ['maxItems', 'maxLength', 'maximum'].flatMap((word) => (schema[word] ?? []) as []);
  return [...own, ...alternatives.flatMap(boundsOf)];
}

function boundInApi(place: string): number[] {
  const [, method, path, field] = /^([A-Z]+) ([^:?]+)(?:: (\S+))?/.exec(place)!;
  const operation = API.paths[path!]![method!.toLowerCase()]!;
  if (field === undefined) {
    const name = place.split('?')[1];
    const [parameter] = (operation['parameters'] as Schema[])
      .map(follow)
      .filter((one) => one['name'] === name);
    return boundsOf(parameter!['schema'] as Schema);
  }
  const content = follow(operation['requestBody'] as Schema)['content'] as Record<string, Schema>;
  const keys = field.replaceAll('[]', '.[]').split('.');
  return keys
    .reduce(
      (schemas, key) => schemas.flatMap((schema) => childrenOf(schema, key)),
      [content['application/json']!['schema'] as Schema],
    )
    .flatMap(boundsOf);
}

describe('docs/reference/limits.md', () => {
  it('has limits', () => expect(ROWS.length).toBeGreaterThan(90));

  it('has each limit once, and each is looked up somewhere', () => {
    expect(NAMES).toHaveLength(ROWS.length);
    expect(NAMES).toEqual(Object.keys(LIMIT_SOURCES));
  });

  it.each(NAMES.map((name, at) => [name, ROWS[at]!] as const))('%s', (name, row) => {
    const [first, path] = LIMIT_SOURCES[name]!;
    const value = row['value']!;
    if (path !== undefined) {
      const stated = Number(valueIn(sourceOf(path), first));
      expect(stated * unitOf(first, value)).toBe(figureOf(value));
    } else if (/^[A-Z]+ \//.test(first)) {
      const bounds = boundInApi(first).map((bound) => bound * unitOf(first, value));
      expect([...new Set(bounds)]).toEqual([figureOf(value)]);
    } else {
      expect(sourceOf(first)).toContain(`'${value}'`);
    }
  });
});
