/** docs/reference/environment.md has every variable of every process, as the process reads it. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { ConfigError, readConfig } from '@countersign/runtime/process/config.js';
import { gatewayVariables } from '@countersign/runtime/settings/gateway-config.js';
import { relayVariables } from '@countersign/runtime/settings/relay-config.js';
import { notifierVariables } from '@countersign/runtime/settings/notifier-config.js';
import { backupVariables } from '../../signer/src/secrets/backup/backup-variables.ts';
import { signerVariables } from '@countersign/runtime/settings/signer-config.js';
import { repoPaths } from '../support/repo-files.ts';
import { codesIn, tableRows, type TableRow } from '../support/page-tables.ts';

const SCHEMAS = {
  gateway: gatewayVariables,
  signer: signerVariables,
  notifier: notifierVariables,
  prices: relayVariables,
  backup: backupVariables,
};
/** Programs without a schema: their variables are read one by one. */
const SOURCES = { admin: /^infra\/admin\/src\//, start: /^infra\/dev\/src\/start\// };

/** Those of Node and of libraries have a table without this column. */
const ROWS = tableRows('docs/reference/environment.md', 'variable').filter(
  (row) => row['process'] !== undefined,
);
const nameOf = (row: TableRow) => codesIn(row['variable']!)[0]!;
const rowsOf = (program: string) =>
  ROWS.filter((row) => row['process']!.split(', ').includes(program));

type Accepts = (text?: string) => { readonly success: boolean; readonly data?: unknown };
const VARIABLES = Object.entries(SCHEMAS).flatMap(([program, { shape }]) =>
  Object.entries(shape).map(([name, variable]) => {
    const accepts: Accepts = (text) => variable.safeParse(text);
    return { program, name, accepts };
  }),
);

function namesReadIn(sources: RegExp): string[] {
  const texts = repoPaths()
    .filter((path) => sources.test(path) && path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => readFileSync(path, 'utf8'));
  const names = texts.flatMap((text) => [
    ...[...text.matchAll(/(?:process\.env|environment)\['(\w+)'\]/g)].map(([, name]) => name!),
    ...[...text.matchAll(/const \{ ([\w, ]+) \} = process\.env/g)].flatMap(([, list]) =>
      list!.split(', '),
    ),
  ]);
  return [...new Set(names)].toSorted();
}

describe('docs/reference/environment.md', () => {
  it('has the variables of each process, once each, and no others', () => {
    for (const [program, { shape }] of Object.entries(SCHEMAS)) {
      expect([program, ...rowsOf(program).map(nameOf).toSorted()]).toEqual([
        program,
        ...Object.keys(shape).toSorted(),
      ]);
    }
    const known = new Set([...Object.keys(SCHEMAS), ...Object.keys(SOURCES)]);
    const processes = ROWS.flatMap((row) => row['process']!.split(', '));
    expect(processes.filter((program) => !known.has(program))).toEqual([]);
  });

  it.each(Object.entries(SOURCES))('has the variables of %s', (program, sources) => {
    expect(rowsOf(program).map(nameOf).toSorted()).toEqual(namesReadIn(sources));
  });

  it.each(VARIABLES)('says what $name of $program is', ({ program, name, accepts }) => {
    const row = rowsOf(program).find((one) => nameOf(one) === name)!;
    const absent = accepts();
    const told = codesIn(row['default']!)[0] ?? row['default']!;
    const expected = absent.success ? (absent.data ?? '–') : 'required';
    expect(/^\d+$/.test(told) ? Number(told) : told).toBe(expected);

    const unit = row['unit and range']!;
    const [, least, most] = /(?<!\d )\b(\d+) to (\d+)$/.exec(unit) ?? [];
    if (least !== undefined && most !== undefined) {
      const [low, high] = [Number(least), Number(most)];
      expect([low, high].map((value) => accepts(String(value)).success)).toEqual([true, true]);
      const outside = [low - 1, high + 1].map((value) => accepts(String(value)).success);
      expect(outside).toEqual([false, false]);
    } else if (unit.startsWith('`')) {
      expect(codesIn(unit).filter((word) => !accepts(word).success)).toEqual([]);
    }
    expect(accepts('').success).toBe(false);
  });
});

const SIGNER = {
  PARTY: '1',
  DATABASE_URL: 'postgres://localhost/countersign',
  REDIS_URL: 'redis://localhost',
  EVIDENCE_KEY_FILE: 'evidence.key',
  KEY_DIR: 'party-1',
};

describe('a name that no process has', () => {
  it('is not noticed where it is an optional one, misspelt', () => {
    expect(readConfig(signerVariables, { ...SIGNER, REPLCIA: 'b' }).REPLICA).toBe('a');
  });

  it('is refused where it begins with COUNTERSIGN_, beside everything else that is wrong', () => {
    const given = { ...SIGNER, PARTY: '4', COUNTERSIGN_REPLICA: 'b' };
    expect(() => readConfig(signerVariables, given)).toThrow(ConfigError);
    expect(() => readConfig(signerVariables, given)).toThrow(
      /^COUNTERSIGN_REPLICA: no such setting\nPARTY: /,
    );
  });
});
