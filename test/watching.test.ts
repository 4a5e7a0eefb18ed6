/** What an operator sees of a vault: a request in the logs of all who had a part in it, and a gateway that is taken out of service. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as ask } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startGateway, waitHealthy } from '../infra/dev/dist/stack/open-stack.js';
import type { VaultProcess } from '../infra/dev/dist/stack/vault-process.js';
import { runCountersign } from '../infra/admin/dist/commands/run-countersign.js';
import { PRESENCE_KEY } from '@countersign/runtime/jobs/names.js';
import { presenceEntry, startReplica } from '@countersign/runtime/jobs/replica.js';
import { openRedisAttacker } from './support/attacker.ts';
import { deliver, rawSignRequest } from './support/signed-request.ts';
import { eventually, openTestVault, PATIENT, type TestVault } from './support/test-vault.ts';
import type { TestWallet } from './support/test-vault.ts';

const run = promisify(execFile);

let vault: TestVault;
let wallet: TestWallet;
let folder: string;
beforeAll(async () => {
  vault = await openTestVault();
  wallet = await vault.createWallet();
  folder = mkdtempSync(join(tmpdir(), 'countersign-watching-'));
}, 90_000);
afterAll(async () => {
  await vault?.close();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

type Line = Readonly<Record<string, unknown>>;

/** What a process has logged of the request. */
function linesOf({ output }: VaultProcess, requestId: string): Line[] {
  return output()
    .split('\n')
    .filter((line) => line.includes(requestId))
    .map((line) => JSON.parse(line) as Line);
}

const signRequest = (message = Buffer.from('a watched message')) =>
  rawSignRequest(vault.adminCredential, wallet.path, message);

describe('a request for a signature', () => {
  it('is found at the gateway and at each party that took part, without its message', async () => {
    const { gateway, signers } = vault.stack;
    const request = signRequest();
    const answer = await deliver(vault.baseUrl, request, PATIENT);
    expect(answer.status).toBe(200);
    const { receipt } = answer.body as { receipt: { parties: [number, number] } };
    const [lead, partner] = receipt.parties;
    const common = {
      level: 'info',
      time: expect.any(String),
      request_id: request.requestId,
      key_id: wallet.keyId,
      parties: `${lead},${partner}`,
      duration_ms: expect.any(Number),
    };
    const [told] = await eventually(() => {
      const lines = linesOf(gateway, request.requestId);
      return lines.length > 0 && lines;
    });
    expect(told).toEqual({ ...common, name: 'gateway', event: 'signing_ended', outcome: 'signed' });
    const byParty = await eventually(() => {
      const lines = signers.map((signer) => linesOf(signer, request.requestId));
      return lines.flat().length === 2 && lines;
    });
    const third = [1, 2, 3].find((party) => !receipt.parties.includes(party))!;
    expect(byParty[third - 1]).toEqual([]);
    expect(byParty[lead - 1]).toEqual([
      { ...common, name: `party_${lead}`, event: 'signing_led', outcome: 'signed' },
    ]);
    expect(byParty[partner - 1]).toEqual([
      { ...common, name: `party_${partner}`, event: 'signing_joined', outcome: 'contributed' },
    ]);

    const files = [gateway, ...signers].map((one, index) => {
      const file = join(folder, `${index}.log`);
      writeFileSync(file, one.output());
      return file;
    });
    const trace = ['infra/admin/dist/countersign.js', 'trace', request.requestId, ...files];
    const { stdout } = await run(process.execPath, [...trace, '--json']);
    const { lines } = JSON.parse(stdout) as { lines: readonly { event: string }[] };
    expect(lines.map(({ event }) => event)).toEqual([
      'signing_joined',
      'signing_led',
      'signing_ended',
    ]);
    await expect(run(process.execPath, [...trace.slice(0, 2), 'x'])).rejects.toMatchObject({
      code: 2,
    });
  }, 60_000);

  it('that this gateway refuses is found there alone', async () => {
    const stranger = await vault.createMachine();
    const request = rawSignRequest(stranger.credential, wallet.path, Buffer.from('no rule'));
    expect((await deliver(vault.baseUrl, request, PATIENT)).status).toBe(403);
    const lines = await eventually(() => {
      const found = linesOf(vault.stack.gateway, request.requestId);
      return found.length > 0 && found;
    });
    expect(lines).toEqual([
      {
        ...{ level: 'info', time: expect.any(String), name: 'gateway', event: 'signing_ended' },
        ...{ request_id: request.requestId, outcome: 'denied', key_id: wallet.keyId },
        duration_ms: expect.any(Number),
      },
    ]);
    expect(vault.stack.signers.flatMap((one) => linesOf(one, request.requestId))).toEqual([]);
  });
});

interface Asked {
  /** ms. */
  readonly at: number;
  /** Undefined where no answer came. */
  readonly status: number | undefined;
}

const JSON_BODY = { 'content-type': 'application/json' };

/** Over a connection of its own. */
function askOnce(
  port: number,
  target: string,
  options: { method?: string; headers?: Readonly<Record<string, string>>; body?: Buffer } = {},
): Promise<Asked> {
  const { method = 'GET', headers = {}, body } = options;
  const at = Date.now();
  return new Promise((resolve) => {
    const where = { host: '127.0.0.1', port, path: target, agent: false };
    const request = ask({ ...where, method, headers }, (response) => {
      response.resume().on('end', () => resolve({ at, status: response.statusCode }));
    });
    request.on('error', () => resolve({ at, status: undefined }));
    request.end(body);
  });
}

describe('countersign upgrade check', () => {
  async function check(...more: string[]) {
    let text = '';
    const { roleUrls, redis } = vault.servers;
    const code = await runCountersign(
      ['upgrade', 'check', '--evidence-key', vault.prepared.evidenceKeyFile, ...more],
      {
        environment: { DATABASE_URL: roleUrls.gateway, REDIS_URL: redis.url },
        readStandardInput: () => Buffer.alloc(0),
        writeOutput: (part) => void (text += String(part)),
        writeNote: (part) => void (text += part),
        showProgress: () => undefined,
        confirm: async () => undefined,
      },
    );
    return { code, text };
  }

  it('says what an upgrade of a running vault will do, and that nothing forbids it', async () => {
    const pin = vault.prepared.pinFile('party-1');
    const { code, text } = await check('--json', '--gateway', vault.baseUrl, '--pin', pin);
    const { findings, steps } = JSON.parse(text) as { findings: Line[]; steps: string[] };
    expect(code).toBe(0);
    expect(findings.map(({ verdict }) => verdict)).toEqual(Array(findings.length).fill('ok'));
    expect(findings.map(({ about }) => about)).toEqual([
      'schema',
      'rules',
      ...[1, 2, 3].map((party) => expect.stringMatching(`^party ${party}, `)),
      vault.baseUrl,
      `${pin}.snapshot`,
    ]);
    expect(steps[0]).toBe('back up');
  });

  it('believes nobody who has Redis: neither that a party speaks otherwise, nor that it is there', async () => {
    const redis = openRedisAttacker(vault.servers.redis.url).redis;
    const forged = startReplica(2, 'forged');
    const spoken = { oldest: 9, newest: 9 };
    const signature = Buffer.alloc(64, 1);
    await redis.hset(
      PRESENCE_KEY,
      ...presenceEntry(forged, Date.now(), true, signature, { spoken }),
    );
    const { code, text } = await check();
    await redis.hdel(PRESENCE_KEY, '2:forged');
    redis.disconnect();
    expect({ code, text }).toEqual({ code: 0, text: expect.not.stringContaining('forged') });
    expect(text).toContain('party 2, ');
  });
});

describe('a gateway that is told to stop', () => {
  const DRAIN_S = 3;
  /** A request that is begun just before the end of the drain may come to a closed port. */
  const EDGE_MS = 500;

  it('is not ready at once, refuses nobody until a balancer can have noticed, and then ends', async () => {
    const gateway = await startGateway({ ...vault.options, drainS: DRAIN_S }, 0);
    const port = gateway.port!;
    await waitHealthy(`http://127.0.0.1:${port}`);
    expect((await askOnce(port, '/health/ready')).status).toBe(200);

    const signed: Asked[] = [];
    async function keepAsking(): Promise<void> {
      while (!gateway.hasExited) {
        const { method, target, headers, body } = signRequest();
        signed.push(
          await askOnce(port, target, {
            method,
            body,
            headers: { ...headers, ...PATIENT, ...JSON_BODY },
          }),
        );
      }
    }
    const asking = [keepAsking(), keepAsking()];
    await eventually(() => signed.length > 2);
    const toldAt = Date.now();
    gateway.kill('SIGTERM');
    const looked = await eventually(async () => {
      const { status } = await askOnce(port, '/health/ready');
      return status === 503 && { live: (await askOnce(port, '/health/live')).status };
    });
    expect(looked).toEqual({ live: 200 });
    expect(await gateway.exited).toBe(0);
    await Promise.all(asking);

    const line = gateway
      .output()
      .split('\n')
      .find((text) => text.includes('"draining"'))!;
    const { time, duration_ms } = JSON.parse(line) as { time: string; duration_ms: number };
    expect(duration_ms).toBe(DRAIN_S * 1_000);
    const until = Date.parse(time) + duration_ms - EDGE_MS;
    const during = signed.filter(({ at }) => at >= toldAt && at < until);
    // new ones were served to the end, over connections that were made meanwhile
    expect(Math.max(...during.map(({ at }) => at))).toBeGreaterThan(until - 1_500);
    expect([...new Set(during.map(({ status }) => status))]).toEqual([200]);
  }, 60_000);
});
