/** The client library against a running vault: what a desk's programs rest on. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import { valueOf } from '../client/dist/answers/call-result.js';
import { createCountersignClient } from '../client/dist/calls/countersign-client.js';
import type {
  CountersignClient,
  CountersignClientOptions,
} from '../client/dist/calls/countersign-client.js';
import { findFaultOfReceipt } from '../client/dist/receipts/verify-receipt.js';
import { readGenesis } from './support/genesis.ts';
import { openSharedVault, type VaultInUse } from './support/test-vault.ts';

let vault: VaultInUse;
const opened: { close(): unknown }[] = [];

beforeAll(async () => {
  vault = await openSharedVault();
}, 120_000);
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});
afterAll(() => vault?.close());

function client(more: Partial<CountersignClientOptions> = {}): CountersignClient {
  const options = { baseUrl: vault.baseUrl, preferWaitS: 30, ...vault.adminCredential };
  const one = createCountersignClient({ ...options, ...more });
  opened.push(one);
  return one;
}

const name = (what: string) => `${what} ${randomUUID()}`;

/** An address of the vault whose first answer gets lost. */
async function losingFirstAnswer(): Promise<{ url: string; readonly connections: number }> {
  const { hostname, port } = new URL(vault.baseUrl);
  let connections = 0;
  const server: Server = createServer((near) => {
    connections += 1;
    const isFirst = connections === 1;
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) socket.on('error', () => undefined);
    near.pipe(far);
    if (isFirst) far.once('data', () => near.destroy());
    else far.pipe(near);
    near.on('close', () => far.destroy());
  });
  opened.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: ownPort } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${ownPort}`,
    get connections() {
      return connections;
    },
  };
}

it('a change whose answer is lost is made once', async () => {
  const proxy = await losingFirstAnswer();
  const display_name = name('made once');
  const created = valueOf(
    await client({ baseUrl: proxy.url }).call('create-vault', { body: { display_name } }),
  );
  expect(proxy.connections).toBe(2);
  const query = { display_name_like: display_name };
  const found = valueOf(await client().call('list-vaults', { query }));
  expect(found.results.map(({ id }) => id)).toEqual([created.id]);
});

it('a caller in a hurry hears where to look, and finds it there', async () => {
  const { id } = valueOf(
    await client().call('create-vault', { body: { display_name: name('slow') } }),
  );
  const started = await client().call('create-wallet', {
    params: { vault_id: id },
    body: { network_family: 'solana' },
    waitMs: 0,
  });
  if (started.ok) throw new Error('a wallet was made in no time');
  expect(started.error.errType).toBe('still_processing');
  const waited = await client().waitForRequest(started.error.requestId!);
  const wallets = valueOf(await client().call('list-wallets', { params: { vault_id: id } }));
  expect(wallets.results).toEqual([valueOf(waited)]);
});

/** What a desk's machine believes that the time is, while `work` runs. */
async function withClockOff(offMs: number, work: () => Promise<void>): Promise<void> {
  const now = Date.now;
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + offMs);
  try {
    await work();
  } finally {
    clock.mockRestore();
  }
}

it.each([-30, 30])('a clock that is %i minutes off is corrected', (minutes) =>
  withClockOff(minutes * 60_000, async () => {
    const { call } = client();
    for (const what of ['refused at first', 'dated right']) {
      const made = await call('create-vault', { body: { display_name: name(what) } });
      expect(made).toMatchObject({ ok: true });
    }
  }),
);

it('a clock that is two hours off is told', () =>
  withClockOff(-7_200_000, async () => {
    const late = await client().call('create-vault', { body: { display_name: name('late') } });
    if (late.ok) throw new Error('a stale timestamp was taken');
    expect(late.error).toMatchObject({ errType: 'unauthorized', status: 401 });
    // the header has whole seconds
    expect(Math.abs(late.error.serverTimeMs! - Date.now() - 7_200_000)).toBeLessThan(60_000);
  }));

it('pages come to the last one, each thing once', async () => {
  const mark = randomUUID();
  const made: string[] = [];
  for (let count = 1; count <= 5; count++) {
    const body = { display_name: `page ${count} ${mark}` };
    made.push(valueOf(await client().call('create-vault', { body })).id);
  }
  const seen: string[] = [];
  const query = { display_name_like: mark, limit: '2' };
  for await (const page of client().pages('list-vaults', { query })) {
    seen.push(...valueOf(page).results.map(({ id }) => id));
  }
  expect(seen).toEqual(made);
});

it('a receipt holds for the genesis that was pinned, and for no other', async () => {
  const wallet = await vault.createWallet();
  const [, vaultId = '', address = ''] = /vaults\/(.*)\/wallets\/(.*)$/.exec(wallet.path) ?? [];
  const { receipt } = valueOf(
    await client().call('raw-sign', {
      params: { vault_id: vaultId, address },
      body: { message: Buffer.from('hello').toString('base64') },
    }),
  );
  const { genesisHash, parties: identities } = await readGenesis(vault);
  expect(findFaultOfReceipt(receipt, { genesisHash, identities })).toBeUndefined();
  const other = {
    genesisHash: genesisHash.replace(/^./, (c) => (c === '0' ? '1' : '0')),
    identities,
  };
  expect(findFaultOfReceipt(receipt, other)).toBeDefined();
});

it('a refusal is a value, in the words of the vault', async () => {
  const refused = await client().call('get-user', { params: { user_id: randomUUID() } });
  expect(refused).toMatchObject({
    ok: false,
    error: { errType: 'resource_not_found', status: 404 },
  });
  const unknown = await client({ apiKey: randomUUID() }).call('whoami');
  expect(unknown).toMatchObject({ ok: false, error: { errType: 'unauthorized', status: 401 } });
});
