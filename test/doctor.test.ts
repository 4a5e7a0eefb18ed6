/** `countersign doctor` before a real PostgreSQL and a real Redis: each fault planted once, by itself. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Redis } from 'ioredis';
import { runCountersign } from '../infra/admin/dist/commands/run-countersign.js';
import {
  openTestServers,
  preparedFolder,
  requireEnv,
  type TestServers,
} from './support/test-servers.ts';
import { query } from './support/signing-load.ts';
import { runWhere } from './support/run-where.ts';

interface Finding {
  readonly about: string;
  readonly verdict: 'ok' | 'warning' | 'fault';
  readonly says: string;
  readonly advice?: string;
}

jest.setTimeout(60_000);

const ME = String(process.getuid!());
let servers: TestServers;
let empty: TestServers;
let home: string;
/** What every process of this vault could be given, and all is well. */
let good: Record<'gateway' | 'party' | 'notifier', Record<string, string>>;

beforeAll(async () => {
  [servers, empty] = await Promise.all([openTestServers('vault'), openTestServers()]);
}, 60_000);
afterAll(async () => {
  await Promise.all([servers?.close(), empty?.close()]);
}, 60_000);

const at = (name: string) => join(home, name);

beforeEach(() => {
  home = join(servers.home, `doctor-${randomBytes(4).toString('hex')}`);
  cpSync(preparedFolder(requireEnv('COUNTERSIGN_TEST_HOME')), home, { recursive: true });
  chmodSync(at('party-1'), 0o700);
  mkdirSync(at('kek'), { mode: 0o700 });
  cpSync(at('party-1/kek.key'), at('kek/kek.key'));
  rmSync(at('party-1/kek.key'));
  const folded = {
    EVIDENCE_KEY_FILE: at('evidence.key'),
    GENESIS_FILE: at('genesis.json'),
    PIN_FILE: at('pin.json'),
  };
  const { gateway, party_1, notifier } = servers.roleUrls;
  const { url: REDIS_URL } = servers.redis;
  good = {
    gateway: { ...folded, DATABASE_URL: gateway, REDIS_URL },
    party: {
      ...{ ...folded, DATABASE_URL: party_1, REDIS_URL, PARTY: '1' },
      KEY_DIR: at('party-1'),
      KEK_FILE: at('kek/kek.key'),
    },
    notifier: { ...folded, DATABASE_URL: notifier, WEBHOOK_KEY_FILE: at('webhook.key') },
  };
});

interface Outcome {
  readonly code: number;
  /** All but those where all is well. */
  readonly findings: readonly Finding[];
  readonly text: string;
}

/** As an operator types it. */
function run(
  args: readonly string[],
  environment: Record<string, string> = {},
  node: readonly string[] = [],
) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const all = [...node, 'infra/admin/dist/countersign.js', 'doctor', ...args];
    execFile(process.execPath, all, { env: environment }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

/** Of an environment file with these variables; `change` takes out what is undefined. */
async function doctor(
  name: 'gateway' | 'party' | 'notifier' | 'migrate',
  change: Record<string, string | undefined> = {},
  mode = 0o600,
): Promise<Outcome> {
  const base = name === 'migrate' ? {} : good[name];
  const set = Object.entries({ ...base, ...change }).filter(([, value]) => value !== undefined);
  const file = at('process.env');
  writeFileSync(file, set.map(([key, value]) => `${key}=${value}\n`).join(''));
  chmodSync(file, mode);
  return look([name, '--environment', file, '--user', ME, '--json']);
}

/** In this process: to load the command anew for each would take most of the time. */
async function look(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Outcome> {
  const { code, text } = await type(args, environment);
  const { findings } = JSON.parse(text) as { findings: Finding[] };
  return { code, text, findings: findings.filter(({ verdict }) => verdict !== 'ok') };
}

async function type(args: readonly string[], environment: Record<string, string> = {}) {
  let [text, notes] = ['', ''];
  const code = await runCountersign(['doctor', ...args], {
    environment,
    readStandardInput: () => Buffer.alloc(0),
    writeOutput: (more) => void (text += String(more)),
    writeNote: (more) => void (notes += more),
    showProgress: () => undefined,
    confirm: async () => undefined,
  });
  return { code, text, notes };
}

/** The one fault that was planted, and exit code 1. */
const faulty = (about: string, says: string | RegExp) => ({
  code: 1,
  findings: [
    {
      about,
      verdict: 'fault',
      says: typeof says === 'string' ? expect.stringContaining(says) : expect.stringMatching(says),
      advice: expect.any(String),
    },
  ],
});
const doubtful = (about: string, says: string) => ({
  code: 0,
  findings: [{ about, verdict: 'warning', says: expect.stringContaining(says) }],
});

describe('countersign doctor', () => {
  it.each(['gateway', 'party', 'notifier'] as const)(
    'finds nothing wrong with a right %s',
    async (name) => {
      expect(await doctor(name)).toMatchObject({ code: 0, findings: [] });
    },
  );

  it('reads its own environment where it is given no file, and speaks to people', async () => {
    const runs = [good.party, { ...good.party, PARTY: '4' }].map((environment) =>
      run(['party', '--user', ME], environment),
    );
    const [right, wrong] = await Promise.all(runs);
    expect(right!.stdout).toContain(
      'ok       PostgreSQL: it holds the vault that the genesis names\n',
    );
    expect(right!.stdout).toMatch(/\nparty: 0 faults, 0 warnings\n$/);
    expect(wrong!.stdout).toMatch(
      /^fault {4}PARTY: the process refuses its value: .*\n {9}→ correct PARTY\n/,
    );
    expect([right!.code, wrong!.code]).toEqual([0, 1]);
  });

  it('knows wrong usage from what is wrong', async () => {
    const wrong = [[], ['signer'], ['gateway', 'x'], ['gateway', '--colour']];
    for (const args of wrong) expect(await type(args)).toMatchObject({ code: 2, text: '' });
    expect((await type(['gateway', '--user', 'nobody-here'])).notes).toContain('no user');
    const typed = [['signer'], ['gateway', '--environment', at('nothing.env')]];
    for (const { code, stdout, stderr } of await Promise.all(typed.map((args) => run(args)))) {
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(
        /^countersign: (.*Allowed choices are gateway, |--environment: ENOENT)/,
      );
    }
  });
});

describe('a fault of variables', () => {
  it('is a misspelt one', async () => {
    expect(await doctor('party', { REPLCIA: 'b' })).toMatchObject(
      faulty('REPLCIA', 'it reads REPLICA'),
    );
  });

  it('is a missing one', async () => {
    expect(await doctor('notifier', { WEBHOOK_KEY_FILE: undefined })).toMatchObject(
      faulty('WEBHOOK_KEY_FILE', 'needs it, and it is not set'),
    );
    const without = await doctor('gateway', { GENESIS_FILE: undefined });
    expect(without).toMatchObject({ code: 1 });
    expect(without.findings[0]).toMatchObject({ about: 'GENESIS_FILE', verdict: 'fault' });
  });

  it('is a value that is not taken', async () => {
    expect(await doctor('gateway', { PORT: '80800' })).toMatchObject(
      faulty('PORT', 'refuses its value'),
    );
  });

  it('may be one of another process, or for development alone', async () => {
    expect(await doctor('gateway', { KEY_DIR: '/x' })).toMatchObject(
      doubtful('KEY_DIR', 'party reads it'),
    );
    expect(await doctor('gateway', { WEBHOOK_LOOPBACK: 'allowed' })).toMatchObject(
      doubtful('WEBHOOK_LOOPBACK', 'development'),
    );
    expect(await doctor('party', { METRICS_HOST: '0.0.0.0' })).toMatchObject(
      doubtful('METRICS_HOST', 'no TLS'),
    );
  });

  it('is a file of them that others may open', async () => {
    expect(await doctor('gateway', {}, 0o640)).toMatchObject(
      faulty(at('process.env'), 'others may open it (mode 0640)'),
    );
  });
});

describe('a fault of files', () => {
  it('is a key that is not there, lets others in or is none', async () => {
    rmSync(at('evidence.key'));
    expect(await doctor('gateway')).toMatchObject(faulty('EVIDENCE_KEY_FILE', 'is not there'));
    writeFileSync(at('evidence.key'), 'not-a-key-but-secret', { mode: 0o600 });
    const none = await doctor('gateway');
    expect(none).toMatchObject(faulty('EVIDENCE_KEY_FILE', 'does not hold'));
    expect(none.text).not.toContain('secret');
    chmodSync(at('webhook.key'), 0o644);
    expect((await doctor('notifier')).findings).toContainEqual(
      expect.objectContaining({ about: 'WEBHOOK_KEY_FILE', says: expect.stringContaining('0644') }),
    );
  });

  it('is a key folder that lets others in', async () => {
    chmodSync(at('party-1'), 0o750);
    expect(await doctor('party')).toMatchObject(faulty('KEY_DIR', 'lets others in (mode 0750)'));
  });

  it('is a key folder without one of its keys', async () => {
    rmSync(at('party-1/exchange.sealed'));
    expect(await doctor('party')).toMatchObject(faulty('KEY_DIR', 'exchange.sealed is not there'));
  });

  it('is a KEK of another size; one beside what it seals is a warning', async () => {
    expect(await doctor('party', { KEK_FILE: at('evidence.key') })).toMatchObject(
      faulty('KEK_FILE', 'a KEK has 32'),
    );
    writeFileSync(at('some.txt'), 'x'.repeat(200), { mode: 0o600 });
    expect(await doctor('party', { KEK_FILE: at('some.txt') })).toMatchObject(
      faulty('KEK_FILE', 'says of no provider how it opens the KEK'),
    );
    cpSync(at('kek/kek.key'), at('party-1/kek.key'));
    expect(await doctor('party', { KEK_FILE: undefined })).toMatchObject(
      doubtful('KEY_DIR', 'lies beside what it seals'),
    );
  });

  describe('a KEK under a key of a provider', () => {
    const written = (by: object) => {
      const half = Buffer.alloc(32).toString('base64');
      const document = { version: 1, kek_id: 'aws:0123456789abcdef', half, wrapped: 'x', by };
      writeFileSync(at('kek.json'), JSON.stringify(document), { mode: 0o600 });
      return at('kek.json');
    };
    const aws = { provider: 'aws', key: 'arn:aws:kms:eu-central-1:111122223333:key/1' };

    it('is all right, with what leads to its cloud', async () => {
      const change = { KEK_FILE: written(aws), AWS_WEB_IDENTITY_TOKEN_FILE: '/run/token' };
      expect(await doctor('party', change)).toMatchObject({ code: 0, findings: [] });
      expect((await doctor('party', change)).text).toContain('aws opens it by key arn:aws:kms:');
    });

    it('is wrong with a setting that no provider has', async () => {
      const change = { KEK_FILE: written({ ...aws, key: 'alias/party' }) };
      expect(await doctor('party', change)).toMatchObject(
        faulty('KEK_FILE', 'by.key: must be the ARN of a key'),
      );
    });

    it('is wrong with a token that others can read', async () => {
      writeFileSync(at('token'), 'x', { mode: 0o644 });
      const transit = { provider: 'transit', address: 'https://bao:8200', key: 'party-1' };
      const change = { KEK_FILE: written({ ...transit, token_file: at('token') }) };
      expect(await doctor('party', change)).toMatchObject(
        faulty('KEK_FILE', 'lets others in (mode 0644)'),
      );
    });

    it('is of a party alone: another process has no cloud', async () => {
      expect(await doctor('gateway', { AWS_REGION: 'eu-central-1' })).toMatchObject(
        doubtful('AWS_REGION', 'gateway does not read it'),
      );
    });
  });

  it('is a pin of another vault, or what is no pin', async () => {
    const pin = { genesis_hash: 'ab'.repeat(32), seq: 1, hash: 'cd'.repeat(32) };
    writeFileSync(at('pin.json'), JSON.stringify(pin));
    expect(await doctor('party')).toMatchObject(faulty('PIN_FILE', 'of another vault'));
    writeFileSync(at('pin.json'), '{');
    expect(await doctor('party')).toMatchObject(faulty('PIN_FILE', 'no pin'));
  });

  it('is a folder of the pin that is not there', async () => {
    expect(await doctor('gateway', { PIN_FILE: at('gone/pin.json') })).toMatchObject(
      faulty('PIN_FILE', 'is not there'),
    );
    expect(
      await doctor('gateway', { PIN_FILE: '/var/lib/countersign-doctor/pin.json' }),
    ).toMatchObject(doubtful('PIN_FILE', 'StateDirectory='));
  });

  it('may be a credential that is not there yet', async () => {
    const EVIDENCE_KEY_FILE = '/run/credentials/countersign-doctor.service/evidence.key';
    expect(await doctor('gateway', { EVIDENCE_KEY_FILE })).toMatchObject(
      doubtful('EVIDENCE_KEY_FILE', 'only while its unit runs'),
    );
  });

  it('is a file that is not what it should be', async () => {
    writeFileSync(at('wrong.json'), '{}');
    for (const name of ['GENESIS_FILE', 'IDENTITY_PROVIDERS_FILE', 'PRICES_FILE']) {
      const { code, findings } = await doctor('party', { [name]: at('wrong.json') });
      expect(code).toBe(1);
      expect(findings[0]).toMatchObject({ about: name, verdict: 'fault' });
    }
    writeFileSync(at('wrong.json'), '{');
    expect(await doctor('gateway', { WEBHOOK_JWKS_FILE: at('wrong.json') })).toMatchObject(
      faulty('WEBHOOK_JWKS_FILE', 'JSON'),
    );
  });
});

const describeAsRoot = runWhere(describe, ME === '0', 'only root may look for another user');

describeAsRoot('a fault of owners', () => {
  const as = async (user: string) => {
    const { findings } = await look(['party', '--user', user, '--json'], good.party);
    return findings;
  };

  it('is a key of another user than the process, and a folder of the pin that it may not write', async () => {
    const findings = await as('54321');
    for (const about of ['EVIDENCE_KEY_FILE', 'KEK_FILE', 'KEY_DIR']) {
      const finding = { about, verdict: 'fault', says: expect.stringContaining('runs as 54321') };
      expect(findings).toContainEqual(expect.objectContaining(finding));
    }
    expect(findings).toContainEqual(
      expect.objectContaining({
        about: 'PIN_FILE',
        says: expect.stringContaining('may not write'),
      }),
    );
  });

  it('is not looked for where root does not say for whom', async () => {
    const told = await look(['party', '--json'], good.party);
    expect(told).toMatchObject(doubtful('user', 'runs as root'));
  });
});

describe('a fault of PostgreSQL', () => {
  const owner = (statement: string) => query(servers.ownerUrl, statement);

  it('is that it cannot be reached, and its password is not told', async () => {
    const url = new URL(servers.roleUrls.gateway);
    url.port = '1';
    expect(await doctor('gateway', { DATABASE_URL: url.href })).toMatchObject(
      faulty('PostgreSQL', /cannot be reached: .*ECONNREFUSED/),
    );
    const wrong = new URL(servers.roleUrls.gateway);
    wrong.password = 'a-wrong-secret';
    const refused = await doctor('gateway', { DATABASE_URL: wrong.href });
    expect(refused).toMatchObject(faulty('PostgreSQL', 'password authentication failed'));
    expect(refused.text).not.toContain('a-wrong-secret');
  });

  it('is a schema that is not there', async () => {
    await query(empty.ownerUrl, 'DELETE FROM countersign_migration');
    const { findings } = await doctor('gateway', { DATABASE_URL: empty.roleUrls.gateway });
    expect(findings).toMatchObject([
      { verdict: 'fault', says: expect.stringContaining('run countersign migrate') },
      { verdict: 'warning', says: expect.stringContaining('no genesis yet') },
    ]);
  });

  it("is another party's login, or the owner's", async () => {
    expect(await doctor('party', { PARTY: '2' })).toMatchObject(
      faulty('PostgreSQL', 'countersign_party_1 has no part in the role countersign_party_2'),
    );
    expect(await doctor('gateway', { DATABASE_URL: servers.ownerUrl })).toMatchObject(
      faulty('PostgreSQL', 'is a superuser'),
    );
  });

  it('is a login that has the rights of two, no limit and no time-outs', async () => {
    const login = `doctor_${randomBytes(4).toString('hex')}`;
    await owner(
      `CREATE ROLE ${login} LOGIN PASSWORD 'x' IN ROLE countersign_gateway, countersign_party_1`,
    );
    try {
      const url = new URL(servers.roleUrls.gateway);
      [url.username, url.password] = [login, 'x'];
      const { code, findings } = await doctor('gateway', { DATABASE_URL: url.href });
      expect(code).toBe(1);
      expect(findings).toMatchObject([
        {
          verdict: 'fault',
          says: expect.stringContaining('the rights of countersign_party_1 as well'),
        },
        { verdict: 'warning', says: expect.stringContaining('may take all connections') },
        {
          verdict: 'warning',
          says: expect.stringContaining('no idle_in_transaction_session_timeout, lock_timeout'),
        },
      ]);
    } finally {
      await owner(`DROP ROLE ${login}`);
    }
  });

  it.each([
    ['gateway', 'request_result', 'SELECT on request_result'],
    ['party', 'party_1.sign_record', 'INSERT on party_1.sign_record'],
    ['notifier', 'webhook_cursor', 'UPDATE on webhook_cursor'],
  ] as const)('is a right that %s lacks', async (name, table, right) => {
    const role = `countersign_${name === 'party' ? 'party_1' : name}`;
    const [word] = right.split(' ');
    await owner(`REVOKE ${word} ON ${table} FROM ${role}`);
    try {
      expect(await doctor(name)).toMatchObject(
        faulty('PostgreSQL', `rights are missing: ${right}`),
      );
    } finally {
      await owner(`GRANT ${word} ON ${table} TO ${role}`);
    }
  });

  it('is another vault than the genesis', async () => {
    const other = { GENESIS_FILE: undefined, GENESIS_HASH: 'ab'.repeat(32) };
    expect(await doctor('notifier', other)).toMatchObject(faulty('PostgreSQL', 'another vault'));
  });

  it('may be that there is no genesis yet, neither there nor here', async () => {
    rmSync(at('genesis.json'));
    const { code, findings } = await doctor('gateway');
    expect(code).toBe(0);
    expect(findings).toMatchObject([
      { about: 'GENESIS_FILE', verdict: 'warning' },
      {
        about: 'PostgreSQL',
        verdict: 'warning',
        says: expect.stringContaining('no genesis says which'),
      },
    ]);
  });

  it('is, for migrate, a login that may not', async () => {
    const owns = await doctor('migrate', { DATABASE_URL: servers.ownerUrl });
    expect(owns).toMatchObject({ code: 0, findings: [] });
    const { code, findings } = await doctor('migrate', { DATABASE_URL: servers.roleUrls.gateway });
    expect(code).toBe(1);
    expect(findings.map(({ says }) => says)).toEqual([
      expect.stringContaining("not the database's owner"),
      expect.stringContaining('may not end sessions'),
      expect.stringContaining('may not make roles'),
    ]);
  });
});

describe('a fault of Redis', () => {
  const redis = () => new Redis(servers.redis.url);

  it('is that it cannot be reached, and its password is not told', async () => {
    const url = new URL(servers.redis.url);
    url.password = 'a-wrong-secret';
    const refused = await doctor('party', { REDIS_URL: url.href });
    expect(refused).toMatchObject(faulty('Redis', 'cannot be reached'));
    expect(refused.text).not.toContain('a-wrong-secret');
    url.port = '1';
    expect(await doctor('party', { REDIS_URL: url.href })).toMatchObject(
      faulty('Redis', /cannot be reached: .*ECONNREFUSED/),
    );
  });

  it('is that it forgets', async () => {
    const client = redis();
    try {
      await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
      expect(await doctor('gateway')).toMatchObject(
        faulty('Redis', 'maxmemory-policy is allkeys-lru'),
      );
    } finally {
      await client.config('SET', 'maxmemory-policy', 'noeviction');
      client.disconnect();
    }
  });

  it('may be that a login may not ask it that', async () => {
    const client = redis();
    try {
      await client.acl(
        'SETUSER',
        'narrow',
        'on',
        '>narrow-secret',
        '~*',
        '+ping',
        '+time',
        '+select',
      );
      const url = new URL(servers.redis.url);
      [url.username, url.password] = ['narrow', 'narrow-secret'];
      const told = await doctor('gateway', { REDIS_URL: url.href });
      expect(told).toMatchObject(doubtful('Redis', 'the doctor could not check this: NOPERM'));
      expect(told.text).not.toContain('narrow-secret');
    } finally {
      await client.acl('DELUSER', 'narrow');
      client.disconnect();
    }
  });
});

describe('a fault of clocks', () => {
  it('is one that is far from both servers', async () => {
    const clock = new URL('support/moving-clock.mjs', import.meta.url);
    clock.search = '?ahead=60000';
    const args = ['gateway', '--user', ME, '--json'];
    const { code, stdout } = await run(args, good.gateway, ['--import', clock.href]);
    expect(code).toBe(1);
    const { findings } = JSON.parse(stdout) as { findings: Finding[] };
    expect(findings.filter(({ verdict }) => verdict !== 'ok')).toMatchObject(
      ['PostgreSQL', 'Redis'].map((about) => ({
        about,
        verdict: 'fault',
        says: expect.stringMatching(/^its clock is (59|60)\.\d s behind this host's$/),
      })),
    );
  });
});

it('takes a password out of what others say', async () => {
  const DATABASE_URL = 'postgres://a:wrong-secret@wrong-secret.invalid/db';
  const told = await doctor('gateway', { DATABASE_URL });
  expect(told).toMatchObject(faulty('PostgreSQL', '….invalid'));
  expect(told.text).not.toContain('wrong-secret');
});

it('tells none of the secrets, whatever it finds', async () => {
  chmodSync(at('evidence.key'), 0o644);
  const { text } = await doctor('party', { PARTY: '2', PORT: '1' });
  const { keys } = JSON.parse(readFileSync(at('evidence.key'), 'utf8')) as { keys: object };
  const passwords = [good.party['DATABASE_URL']!, good.party['REDIS_URL']!].map(
    (url) => new URL(url).password,
  );
  for (const secret of [...Object.values(keys), ...passwords] as string[]) {
    expect(secret.length).toBeGreaterThan(8);
    expect(text).not.toContain(secret);
  }
});
