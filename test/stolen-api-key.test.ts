/** Whoever holds a caller's API key, and no private key, against the caller: a flood from other addresses than the caller's. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request as startRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import {
  deliver,
  rawSignRequest,
  signedRequest,
  type SignedRequest,
} from './support/signed-request.ts';
import {
  eventually,
  expectOk,
  openTestVault,
  PATIENT,
  type TestVault,
  type TestWallet,
} from './support/test-vault.ts';
import { drill } from './support/drills.ts';

jest.setTimeout(120_000);

/** Of one credential in a second: few, so that a flood is one on any machine. */
const RATE = 100;
/** Of the thief, for each kind of request. */
const WORKERS = 4;
const SIGNATURES = 40;
const PAUSE_MS = 50;
/** How fast a flood goes is the machine's; that it has used up its own is waited for. */
const FLOOD_PATIENCE_MS = 60_000;

let folder: string;
let vault: TestVault;
let wallet: TestWallet;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stolen-api-key-'));
  const settings = join(folder, 'rates.env');
  writeFileSync(settings, `RATE_PER_CREDENTIAL=${RATE}\n`);
  vault = await openTestVault({ execArgv: [`--env-file=${settings}`] });
  wallet = await vault.createWallet();
}, 120_000);

afterAll(async () => {
  await vault?.close();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

interface Flood {
  /** By status, so far. */
  readonly answers: ReadonlyMap<number, number>;
  stop(): Promise<void>;
}

type Asking = Pick<SignedRequest, 'method' | 'target' | 'headers'> & { readonly body?: Buffer };

/** As quickly as it can, from these addresses in turn. */
function openFlood(addresses: readonly string[], asking: readonly (() => Asking)[]): Flood {
  const answers = new Map<number, number>();
  const agents = addresses.map((localAddress) => new Agent({ keepAlive: true, localAddress }));
  let isOver = false;
  let turn = 0;

  async function work(next: () => Asking): Promise<void> {
    while (!isOver) {
      const status = await statusOf(agents[(turn += 1) % agents.length]!, next());
      answers.set(status, (answers.get(status) ?? 0) + 1);
    }
  }

  const workers = asking.flatMap((next) => Array.from({ length: WORKERS }, () => work(next)));
  return {
    answers,
    async stop() {
      isOver = true;
      await Promise.all(workers);
      for (const agent of agents) agent.destroy();
    },
  };
}

async function statusOf(agent: Agent, { method, target, headers, body }: Asking): Promise<number> {
  const sent = startRequest(vault.baseUrl + target, {
    ...{ agent, method },
    headers: {
      ...headers,
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': body.length,
      }),
    },
  });
  const status = new Promise<number>((resolve, reject) => {
    sent.once('error', reject);
    sent.once('response', (response) => {
      text(response).then(() => resolve(response.statusCode!), reject);
    });
  });
  sent.end(body);
  return status;
}

/** Somebody who has the API key signs with a key of their own. */
function wrongly(request: SignedRequest): Asking {
  const assertion = randomBytes(64).toString('base64url');
  return { ...request, headers: { ...request.headers, 'x-request-assertion': assertion } };
}

const order = () => rawSignRequest(vault.adminCredential, wallet.path, randomBytes(32));

function targetOf(change: 'freeze' | 'unfreeze'): string {
  return `/v1/vaults/${wallet.vaultId}/wallets/${change}?addresses=${wallet.address}`;
}

const freezing = () => signedRequest(vault.adminCredential, 'POST', targetOf('freeze'), {});

/** All that can be asked with the API key alone. */
function stolenRequests(): readonly (() => Asking)[] {
  const authorization = `ApiKey ${vault.adminCredential.apiKey}`;
  return [
    () => ({ method: 'GET', target: '/v1/users?limit=1', headers: { authorization } }),
    () => wrongly(order()),
    () => wrongly(freezing()),
  ];
}

/** The owner's, from their own address: status and text of each that was not signed. */
async function refusedOf(count: number): Promise<unknown[]> {
  const refused = [];
  for (let index = 0; index < count; index++) {
    const { status, text: told } = await deliver(vault.baseUrl, order(), PATIENT);
    if (status !== 200) refused.push({ status, told });
    await setTimeout(PAUSE_MS);
  }
  return refused;
}

const refusedReads = (flood: Flood) =>
  eventually(
    async () => ((flood.answers.get(504) ?? 0) > RATE ? true : undefined),
    FLOOD_PATIENCE_MS,
  );

it('from one address: none of the owner’s requests is refused for it', async () => {
  const flood = openFlood(['127.0.0.2'], stolenRequests());
  try {
    await refusedReads(flood);
    expect(await refusedOf(SIGNATURES)).toEqual([]);
    expect((await deliver(vault.baseUrl, freezing(), PATIENT)).status).toBe(200);
    const reads = await Promise.all(
      Array.from({ length: 10 }, () => vault.admin.get('/v1/users?limit=1')),
    );
    expect(reads.map(({ status }) => status)).toEqual(Array(10).fill(200));
    await expectOk(vault.admin, 'POST', targetOf('unfreeze'), {});
  } finally {
    await flood.stop();
  }
});

drill('from very many addresses: who has signed from their own goes on', async () => {
  expect(await refusedOf(1)).toEqual([]);
  const addresses = Array.from({ length: 200 }, (_, index) => `127.0.1.${index + 1}`);
  const flood = openFlood(addresses, stolenRequests());
  try {
    await refusedReads(flood);
    expect(await refusedOf(SIGNATURES)).toEqual([]);
  } finally {
    await flood.stop();
  }
});
