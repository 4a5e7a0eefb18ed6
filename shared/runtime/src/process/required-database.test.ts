import { describe, expect, it } from '@jest/globals';
import { ConfigError } from './config.js';
import { requireDatabase, SCHEMA_MIGRATIONS } from './required-database.js';

interface Database {
  readonly version: [number: number, text: string];
  /** Or the code with which the question for them fails. */
  readonly migrations: readonly string[] | string;
}

const GOOD: Database = { version: [180_001, '18.1'], migrations: SCHEMA_MIGRATIONS };

function faultOf({ version: [number, text], migrations }: Database): Promise<unknown> {
  const query = async (sql: string) => {
    if (sql.includes('server_version')) return { rows: [{ number, text }] };
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
    ['whose migrations this login may not read', '42501'],
    ['before any migration', []],
  ])('%s is to be migrated', async (_name, migrations) => {
    expect(await faultOf({ ...GOOD, migrations })).toEqual(
      new ConfigError(
        `the database's schema is not this release's (it lacks ${SCHEMA_MIGRATIONS[0]!}): run countersign migrate`,
      ),
    );
  });

  it('that lacks the newest migration is to be migrated', async () => {
    const migrations = SCHEMA_MIGRATIONS.slice(0, -1);
    expect(await faultOf({ ...GOOD, migrations })).toMatchObject({
      message: expect.stringMatching(/it lacks .*: run countersign migrate$/),
    });
  });

  it('of a later release is left to that release', async () => {
    const migrations = [...SCHEMA_MIGRATIONS, 'Later1800000000000'];
    expect(await faultOf({ ...GOOD, migrations })).toMatchObject({
      message: expect.stringContaining('it has Later1800000000000, which this release does not'),
    });
  });

  it('that does not answer is not said to have the wrong schema', async () => {
    const fault = await faultOf({ ...GOOD, migrations: '57P03' });
    expect(fault).not.toBeInstanceOf(ConfigError);
    expect(fault).toBeInstanceOf(Error);
  });
});
