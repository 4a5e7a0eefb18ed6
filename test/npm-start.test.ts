/** `npm start` as its user meets it: one process to signal, which keeps the others running. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { createPrivateKey, createPublicKey, verify } from 'node:crypto';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createCountersignClient } from '../client/dist/calls/countersign-client.js';
import type { CountersignClient } from '../client/dist/calls/countersign-client.js';
import {
  describeProcess,
  type ProcessDescription,
} from '../infra/dev/dist/embedded/server-process.js';
import {
  readSimulatedPrices,
  writeSimulatedPrices,
} from '../infra/dev/dist/stack/simulated-prices.js';
import { openConsoleDoor } from '../infra/dev/dist/start/first-person.js';
import { solanaTransfer } from './support/solana-transfer.ts';
import { call } from './support/api.ts';
import { CONSOLE_ORIGIN, HAS_CHROMIUM, openBrowser, portOf } from './support/console-browser.ts';
import { signInAt } from './support/console-person.ts';
import { signInAsDeveloper } from './support/developer-sign-in.ts';
import { commandsOf, followPage, promisedLines } from './support/page-commands.ts';
import { runWhere } from './support/run-where.ts';
import { eventually, expectOk, PATIENT } from './support/test-vault.ts';

jest.setTimeout(120_000);

interface DevFile {
  readonly base_url: string;
  readonly admin: {
    readonly user_id: string;
    readonly api_key: string;
    readonly private_key_file: string;
  };
}

interface LabFile {
  readonly bot: { readonly api_key: string };
}

const run = promisify(execFile);
let home: string;
let starter: ChildProcess;
const starters: ChildProcess[] = [];
let ended: Promise<unknown[]>;
let output = '';
let startedAt: number;
/** From the command to all that it prints, s. */
let startS: number;
let dev: DevFile;
let client: CountersignClient;
/** Every process that was seen below the starter. */
const seen = new Map<number, ProcessDescription>();

beforeAll(async () => {
  home = join(mkdtempSync(join(process.env['COUNTERSIGN_TEST_HOME']!, 'start-')), 'home');
  lendRedisPackages();
  startedAt = performance.now();
  starter = startStarter();
  ended = once(starter, 'exit');
  for (const stream of [starter.stdout, starter.stderr]) {
    stream!.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  await eventually(() => output.includes('docs/how-to/bots.md tells more') || hasEnded(), 100_000);
  if (hasEnded()) throw new Error(`the vault did not start:\n${output}`);
  startS = secondsSince(startedAt);
  dev = JSON.parse(readFileSync(join(home, 'dev.json'), 'utf8')) as DevFile;
  const privateKey = createPrivateKey(readFileSync(dev.admin.private_key_file));
  client = createCountersignClient({
    baseUrl: dev.base_url,
    apiKey: dev.admin.api_key,
    privateKey,
  });
}, 110_000);

afterAll(async () => {
  client?.close();
  if (!hasEnded()) await endStarter();
  for (const child of starters) child.kill('SIGKILL');
  for (const [pid, { startedAt }] of seen) {
    // none where all is well
    if ((await describeProcess(pid))?.startedAt === startedAt) process.kill(pid, 'SIGKILL');
  }
  rmSync(join(home, '..'), { recursive: true, force: true });
}, 60_000);

function startStarter(settings: NodeJS.ProcessEnv = {}): ChildProcess {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, ['infra/launch.mjs', 'start', '--lab'], {
    env: { PATH, HOME, COUNTERSIGN_HOME: home, PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  starters.push(child);
  return child;
}

function secondsSince(at: number): number {
  return Math.round((performance.now() - at) / 100) / 10;
}

/** Orderly, unless it does not listen. */
async function endStarter(): Promise<void> {
  const timer = setTimeout(() => starter.kill('SIGKILL'), 30_000);
  starter.kill('SIGTERM');
  await ended;
  clearTimeout(timer);
}

function hasEnded(): boolean {
  return starter.exitCode !== null || starter.signalCode !== null;
}

/** Where no Redis is on PATH the run has unpacked one: it need not be fetched again. */
function lendRedisPackages(): void {
  mkdirSync(join(home, 'redis'), { recursive: true, mode: 0o700 });
  const packages = join(process.env['COUNTERSIGN_TEST_PACKAGES']!, 'redis-root');
  symlinkSync(packages, join(home, 'redis', 'redis-root'));
}

/** The starter's own processes and theirs, by pid, with their command lines. */
async function processesBelow(parent: number): Promise<Map<number, string>> {
  const { stdout } = await run('ps', ['-A', '-ww', '-o', 'pid=,ppid=,command=']);
  const rows = stdout
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .filter((match) => match !== null)
    .map(([, pid, ppid, command]) => ({ pid: Number(pid), ppid: Number(ppid), command: command! }));
  const found = new Map<number, string>();
  const collect = (of: number): void => {
    for (const { pid, ppid, command } of rows) {
      if (ppid !== of || command.startsWith('ps ')) continue;
      found.set(pid, command);
      collect(pid);
    }
  };
  collect(parent);
  for (const pid of found.keys()) {
    const description = await describeProcess(pid);
    if (description !== undefined) seen.set(pid, description);
  }
  return found;
}

/** The pids of the starter's children that run this program. */
async function pidsOf(program: string): Promise<number[]> {
  const below = await processesBelow(starter.pid!);
  return [...below].flatMap(([pid, command]) => (command.includes(program) ? [pid] : []));
}

/** The pid of the process that came back, as its line says. */
function backAgain(name: RegExp): Promise<number> {
  return eventually(() => {
    const match = new RegExp(`countersign: ${name.source} is back \\(pid (\\d+)\\)`).exec(output);
    return match === null ? undefined : Number(match[1]);
  }, 60_000);
}

interface Health {
  readonly checks: { readonly signers: Record<string, string> };
}

async function untilHealthy(): Promise<void> {
  await eventually(async () => {
    const response = await fetch(`${dev.base_url}/health`).catch(() => undefined);
    const body = (await response?.json().catch(() => undefined)) as Health | undefined;
    const parties = Object.values(body?.checks.signers ?? {});
    return parties.length === 3 && parties.every((state) => state === 'ok');
  }, 60_000);
}

async function firstWallet(): Promise<{ vaultId: string; address: string }> {
  const { results: vaults } = await expectOk<{ results: { id: string }[] }>(
    client,
    'GET',
    '/v1/vaults',
  );
  const vaultId = vaults[0]!.id;
  const target = `/v1/vaults/${vaultId}/wallets`;
  const { results } = await expectOk<{ results: { address: string }[] }>(client, 'GET', target);
  return { vaultId, address: results[0]!.address };
}

async function sign(): Promise<void> {
  const { vaultId, address } = await firstWallet();
  const answer = await expectOk<{ signature: string }>(
    client,
    'POST',
    `/v1/vaults/${vaultId}/wallets/${address}/raw-sign`,
    { message: Buffer.from('hello').toString('base64') },
  );
  expect(answer.signature).toMatch(/^[\w+/=]{88}$/);
}

describe('what npm start prints', () => {
  it('holds no credential, and how to use the one that is in a file', async () => {
    expect(output).not.toContain(dev.admin.api_key);
    const command = /^ +(curl .*\/v1\/vaults)$/m.exec(output)?.[1] ?? '';
    const { stdout } = await run('sh', ['-c', command]);
    expect(JSON.parse(stdout)).toMatchObject({ results: [{ display_name: 'first start' }] });
  });

  it('leads to files that their owner alone can read', () => {
    expect(statSync(home).mode & 0o777).toBe(0o700);
    for (const file of [
      'admin.api-key',
      'admin.json',
      'admin.pem',
      'console-link',
      'dev.json',
      'evidence.key',
    ]) {
      expect([file, statSync(join(home, file)).mode & 0o777]).toEqual([file, 0o600]);
    }
  });
});

describe('the identity provider for development', () => {
  it('answers from the first request on', async () => {
    const file = readFileSync(join(home, 'identity-providers.json'), 'utf8');
    const { providers } = JSON.parse(file) as { providers: { issuer: string }[] };
    const { issuer } = providers[0]!;
    const told = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
    expect(told).toMatchObject({ issuer, jwks_uri: `${issuer}/jwks` });
    const { keys } = (await (await fetch(`${issuer}/jwks`)).json()) as { keys: object[] };
    expect(keys).toMatchObject([{ kty: 'RSA', alg: 'RS256' }]);
  });
});

describe('the first person', () => {
  const file = () => join(home, 'console-link');
  const readLink = () => readFileSync(file(), 'utf8').trim();
  const codeOf = (link: string) => link.split('#enrol=')[1] ?? '';
  const HOUR_MS = 3_600_000;

  it('is led to by a link that no output has', () => {
    const link = readLink();
    expect(link).toMatch(new RegExp(`^${CONSOLE_ORIGIN}/console/#enrol=[A-Za-z0-9_-]{24}$`));
    expect(output).toContain(`The console, for people: ${CONSOLE_ORIGIN}/console/`);
    expect(output).toContain('console-link');
    expect(output).not.toContain(codeOf(link));
  });

  it('has the same link until it has expired, then another, and the old one is worth nothing', async () => {
    const first = readLink();
    const again = await openConsoleDoor(client, { home, admin: dev.admin }, Date.now());
    expect(again).toMatchObject({ link: first, isNew: false });
    const late = await openConsoleDoor(
      client,
      { home, admin: dev.admin },
      Date.now() + 73 * HOUR_MS,
    );
    expect(late.isNew).toBe(true);
    expect(readLink()).toBe(late.link);
    expect(await statusOfCode(codeOf(first))).toBe(401);
    expect(await statusOfCode(codeOf(late.link ?? ''))).toBe(200);
  });

  it('has no link while there are other people', async () => {
    const other = await expectOk<{ id: string }>(client, 'POST', '/v1/users', {
      ...{ type: 'human', display_name: 'other', email: 'other@example.com' },
      cloud_provider: 'oidc',
    });
    const door = () => openConsoleDoor(client, { home, admin: dev.admin }, Date.now());
    expect(await door()).toEqual({ address: `${CONSOLE_ORIGIN}/console/`, isNew: false });
    expect(readdirSync(home)).not.toContain('console-link');
    await expectOk(client, 'DELETE', `/v1/users?user_ids=${other.id}`);
    expect((await door()).link).toBe(readLink());
  });

  runWhere(
    it,
    HAS_CHROMIUM,
    'needs Chromium',
  )('makes a passkey, a policy and a signature in the page, and nothing elsewhere', async () => {
    const arrivedAt = performance.now();
    const browser = await openBrowser(portOf(dev.base_url), 1);
    try {
      const page = await browser.openPage();
      const press = (name: string) => page.getByRole('button', { name }).click();
      const fact = (name: string) =>
        page.locator('dt', { hasText: new RegExp(`^${name}$`) }).locator('+ dd code');
      const link = readLink();
      await page.goto(link);
      await page.getByText('Your link is here').waitFor();
      expect(page.url()).toBe(`${CONSOLE_ORIGIN}/console/`);
      await signInAt(page, 'me');
      await press('Make a passkey');
      await page.getByRole('heading', { level: 1, name: 'First steps' }).waitFor();
      await press('Allow me to sign messages');
      await press('Sign this message');
      const signature = Buffer.from(await fact('Signature').innerText(), 'base64');
      const x = Buffer.from(await fact('Public key').innerText(), 'base64').toString('base64url');
      const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
      expect(verify(null, Buffer.from('hello'), key, signature)).toBe(true);
      expect(await page.getByText('to do').count()).toBe(0);
      const pageS = secondsSince(arrivedAt);
      console.log(`npm start to a signature: ${startS + pageS} s, ${pageS} of them in the page`);
      expect(await statusOfCode(codeOf(link))).toBe(401);
      const after = await openConsoleDoor(
        client,
        { home, admin: dev.admin },
        Date.now() + 73 * HOUR_MS,
      );
      expect(after).toEqual({ address: `${CONSOLE_ORIGIN}/console/`, isNew: false });
      expect(readdirSync(home)).not.toContain('console-link');
    } finally {
      await browser.close();
    }
  });

  /** Of somebody whom the provider lets in, and who brings a code. */
  async function statusOfCode(code: string): Promise<number> {
    const providers = readFileSync(join(home, 'identity-providers.json'), 'utf8');
    const { issuer } = (JSON.parse(providers) as { providers: [{ issuer: string }] }).providers[0];
    const token = await signInAsDeveloper(issuer, 'somebody');
    const { status } = await fetch(`${dev.base_url}/v1/passkeys/registration-options`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ enrollment_code: code }),
    });
    return status;
  }
});

describe("the root of the gateway's address", () => {
  it('leads to the console', async () => {
    const response = await fetch(dev.base_url);
    expect(new URL(response.url).pathname).toBe('/console/');
    expect(await response.text()).toContain('<title>Countersign');
  });
});

describe("the lab's bot", () => {
  it('trades at a simulated venue with the lines that were printed, which hold no credential', async () => {
    const [, printed = ''] =
      /save it as bot\.mjs in this folder\):\n([\s\S]*?)\n\n/.exec(output) ?? [];
    const lab = JSON.parse(readFileSync(join(home, 'lab.json'), 'utf8')) as LabFile;
    expect(output).not.toContain(lab.bot.api_key);
    for (const file of ['lab.json', 'lab-seed.json', 'lab-bot.pem']) {
      expect([file, statSync(join(home, file)).mode & 0o777]).toEqual([file, 0o600]);
    }
    expect(printed.split('\n')).toHaveLength(10);
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', printed]);
    expect(stdout).toMatch(/^\d+\n$/);
  });
});

describe('a rule on a value in USD', () => {
  interface Evaluated {
    outcome: string;
    reason: string;
    facts: { usd_value?: { value?: string; prices: { asset: string; relay: string }[] } };
  }

  const file = () => join(home, 'prices', 'simulated-prices.json');
  const setPrice = (SOL: string) =>
    writeSimulatedPrices(file(), { ...readSimulatedPrices(file()), SOL });

  it('works with prices that are made up, and goes where they go', async () => {
    const { vaultId, address } = await firstWallet();
    const settings = await expectOk<{ version: number }>(client, 'GET', '/v1/system-settings');
    const { version } = settings;
    const enabled = { version, usd_value_conditions_enabled: true };
    await expectOk(client, 'PATCH', '/v1/system-settings', enabled);
    await allowWorth('100');
    const body = solanaTransfer({ source: address, lamports: 400_000_000n });
    const evaluate = () =>
      expectOk<Evaluated>(client, 'POST', '/v1/signing-policies/evaluate', {
        operation: 'sign',
        vault_id: vaultId,
        address,
        ...body,
      });
    const pay = () =>
      call(client, 'POST', `/v1/vaults/${vaultId}/wallets/${address}/sign`, body, PATIENT);

    const { outcome, facts } = await evaluate();
    // 0.4 SOL, at about 200
    expect({ outcome, prices: facts.usd_value?.prices }).toMatchObject({
      outcome: 'allow',
      prices: [{ asset: 'SOL', relay: 'simulated' }],
    });
    expect(Number(facts.usd_value?.value)).toBeGreaterThan(60);
    const signed = await eventually(async () => {
      const answer = await pay();
      return answer.status === 200 && answer;
    });
    expect(signed.body).toMatchObject({
      receipt: { prices: [{ asset: 'SOL', relay: 'simulated' }] },
    });

    await eventually(async () => {
      setPrice('400'); // again, should the simulator have been in the middle of a step
      const { status, text } = await pay();
      return status === 403 && /usd_value/.test(text);
    });
    // gateway and parties each look for new prices once a second
    await eventually(async () => {
      setPrice('400');
      return (await evaluate()).outcome === 'deny';
    });
    const health = (await (await fetch(`${dev.base_url}/health`)).json()) as object;
    expect(health).toMatchObject({ checks: { prices: 'ok' } });
  });

  /** What the first start made, with a rule beside its own. */
  async function allowWorth(max: string): Promise<void> {
    type Policy = { id: string; display_name: string; version: number; rules: object[] };
    const page = await expectOk<{ results: Policy[] }>(client, 'GET', '/v1/signing-policies');
    const { id, display_name, version, rules } = page.results[0]!;
    const when = { initiators: 'anyone', operations: ['sign'], usd_value: { max } };
    await expectOk(client, 'PUT', `/v1/signing-policies/${id}`, {
      display_name,
      version,
      rules: [...rules, { display_name: `at most ${max} USD`, when, then: 'allow' }],
    });
  }
});

describe('the pages that begin here', () => {
  it.each([
    'README.md',
    'docs/reference/policies.md',
    ...readdirSync('docs/start').map((name) => `docs/start/${name}`),
  ])('%s has commands that work, and print what it says', async (path) => {
    let printed = await followPage(path, { home, baseUrl: dev.base_url });
    for (const line of promisedLines(commandsOf(readFileSync(path, 'utf8')))) {
      expect(printed).toContain(line);
      printed = printed.slice(printed.indexOf(line) + 1);
    }
  });
});

describe('a process that is killed', () => {
  it('comes back when it is a party, and signing goes on meanwhile and after', async () => {
    const before = await pidsOf('signer/bundle/main.js');
    expect(before).toHaveLength(3);
    process.kill(before[1]!, 'SIGKILL');
    await sign();
    const pid = await backAgain(/party_\d-a/);
    expect(output).toMatch(
      new RegExp(
        `party_\\d-a \\(pid ${before[1]}\\) ended \\(SIGKILL\\); starting it again in 0.25 s \\(attempt 1\\)`,
      ),
    );
    const after = await pidsOf('signer/bundle/main.js');
    expect(new Set(after)).toEqual(new Set([before[0], before[2], pid]));
    await untilHealthy();
    await sign();
  });

  it('comes back on its port when it is the gateway', async () => {
    const [before] = await pidsOf('gateway/bundle/main.js');
    process.kill(before!, 'SIGKILL');
    const pid = await backAgain(/gateway/);
    expect(await pidsOf('gateway/bundle/main.js')).toEqual([pid]);
    await untilHealthy();
    await sign();
  });
});

describe('another npm start on the same folder', () => {
  it('ends with a word and leaves the first in peace', async () => {
    const second = startStarter();
    let said = '';
    second.stderr!.setEncoding('utf8').on('data', (text: string) => (said += text));
    const [[code]] = await Promise.all([once(second, 'exit'), once(second.stderr!, 'close')]);
    expect(code).toBe(1);
    expect(said).toContain(`is held by process ${starter.pid}`);
    await sign();
  });
});

describe('a start whose database hangs up', () => {
  it('says so and leaves no process behind', async () => {
    // late enough that programs are seen which load meanwhile
    const server = createServer((socket) => setTimeout(() => socket.destroy(), 2_000));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const child = startStarter({
      COUNTERSIGN_HOME: join(home, '..', 'without-database'),
      DATABASE_URL: `postgres://nobody@127.0.0.1:${port}/nothing`,
      REDIS_URL: 'redis://127.0.0.1:1',
    });
    let said = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (said += text));
    const over = Promise.all([once(child, 'exit'), once(child.stderr!, 'close')]);
    const below = await eventually(async () => {
      const found = await processesBelow(child.pid!);
      return [...found.values()].join('\n').includes('signer/bundle') && found;
    });
    const [[code]] = await over;
    server.close();
    expect({ code, said }).toEqual({
      code: 1,
      said: expect.stringMatching(/Connection terminated/),
    });
    const left = await Promise.all([...below.keys()].map(describeProcess));
    expect(left.filter((found) => found !== undefined)).toEqual([]);
  });
});

describe('SIGTERM to the starter', () => {
  it('leaves no process behind', async () => {
    const running = await processesBelow(starter.pid!);
    const commands = [...running.values()].join('\n');
    for (const program of [
      /gateway\/bundle/,
      /signer\/bundle/,
      /prices\/bundle/,
      /postgres/,
      /(redis|valkey)-server/,
    ]) {
      expect(commands).toMatch(program);
    }
    starter.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    const left = await Promise.all([...running.keys()].map(describeProcess));
    expect(left.filter((found) => found !== undefined)).toEqual([]);
    expect(output).not.toContain(dev.admin.api_key);
  });
});
