import { describe, expect, it } from '@jest/globals';
import { ConfigError } from './config.js';
import { requireDatabase, SCHEMA_MIGRATIONS } from './required-database.js';

interface Database {
  readonly version: [number: number, text: string];
  /** Or the code with which the question for them fails. */
  readonly migrations: readonly string[] | string;
  readonly hasLedger?: boolean;
}

const OLDER = new ConfigError(
  'this vault is older than release zero and must be made anew on an empty database: nothing brings it to this release',
);

const GOOD: Database = { version: [180_001, '18.1'], migrations: SCHEMA_MIGRATIONS };

function faultOf({
  version: [number, text],
  migrations,
  hasLedger = false,
}: Database): Promise<unknown> {
  const query = async (sql: string) => {
    if (sql.includes('server_version')) return { rows: [{ number, text }] };
    if (sql.includes('to_regclass')) return { rows: [{ has: hasLedger }] };
    if (typeof migrations === 'string') {
      throw Object.assign(new Error('refused'), { code: migrations });
    }
    return { rows: migrations.map((name) => ({ name })) };
  };
  return requireDatabase({ query } as unknown as Parameters<typeof requireDatabase>[0]).then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('a database', () => {
  it('with the schema of this release, on 17 or newer, will do', async () => {
    expect(await faultOf(GOOD)).toBeUndefined();
    expect(await faultOf({ ...GOOD, version: [170_000, '17.0'] })).toBeUndefined();
  });

  it.each([
    [150_004, '15.4'],
    [160_011, '16.11'],
  ])('on server %i is refused with both versions', async (number, text) => {
    const fault = await faultOf({ ...GOOD, version: [number, text] });
    expect(fault).toEqual(
      new ConfigError(
        `the database server is PostgreSQL ${text}, and this release needs PostgreSQL 17 or newer`,
      ),
    );
  });

  it.each([
    ['that is empty', '42P01'],
    ['whose first migration is running', '42501'],
    ['before any migration', []],
  ])('%s is to be migrated', async (_name, migrations) => {
    expect(await faultOf({ ...GOOD, migrations })).toEqual(
      new ConfigError(
        `the database's schema is not this release's (it lacks ${SCHEMA_MIGRATIONS[0]!}): run countersign migrate`,
      ),
    );
  });

  it('of a vault from before release zero is to be made anew, also where this login may not read its migrations', async () => {
    const before = ['First1700000000001', 'Keys1700000000002'];
    expect(await faultOf({ ...GOOD, migrations: before })).toEqual(OLDER);
    expect(await faultOf({ ...GOOD, migrations: [...before, ...SCHEMA_MIGRATIONS] })).toEqual(
      OLDER,
    );
    expect(await faultOf({ ...GOOD, migrations: '42501', hasLedger: true })).toEqual(OLDER);
  });

  const numbered = (beyond: number) => {
    const newest = Number(/\d+$/.exec(SCHEMA_MIGRATIONS.at(-1)!)![0]);
    return `Later${newest + beyond}`;
  };

  it('of the next release will do: that has only added to it', async () => {
    const migrations = [...SCHEMA_MIGRATIONS, numbered(1)];
    expect(await faultOf({ ...GOOD, migrations })).toBeUndefined();
  });

  it.each([
    ['of the release after that', [numbered(1), numbered(2)], numbered(2)],
    ['of another line', [numbered(0)], numbered(0)],
    ['of another line, without a number', ['Later'], 'Later'],
  ])('%s is left to that release', async (_name, more, foreign) => {
    const migrations = [...SCHEMA_MIGRATIONS, ...more];
    expect(await faultOf({ ...GOOD, migrations })).toMatchObject({
      message: expect.stringContaining(`it has ${foreign}, which this release does not know`),
    });
  });

  it('that does not answer is not said to have the wrong schema', async () => {
    const fault = await faultOf({ ...GOOD, migrations: '57P03' });
    expect(fault).not.toBeInstanceOf(ConfigError);
    expect(fault).toBeInstanceOf(Error);
  });
});
