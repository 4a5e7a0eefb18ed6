/** The lock between replicas of one party, on real PostgreSQL behind a wire that can go dead. */
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@countersign/runtime/process/logger.js';
import { openPool } from '@countersign/runtime/process/postgres-pool.js';
import { createKeyLock, type KeyLock } from '../signer/dist/party/key-lock.js';
import { query } from './support/signing-load.ts';
import { openTestServers, type TestServers } from './support/test-servers.ts';
import { eventually } from './support/test-vault.ts';

const SHORT_LEASE_MS = 1_000;
const logger = createLogger('test', 'silent');

let servers: TestServers;
let wire: Server;
const sockets: Socket[] = [];
const closings: (() => Promise<void>)[] = [];

beforeAll(async () => {
  servers = await openTestServers();
  const { hostname, port } = new URL(servers.roleUrls.party_1);
  wire = createServer((socket) => {
    const server = connect(Number(port), hostname);
    for (const end of [socket, server]) end.on('error', () => undefined);
    sockets.push(socket.pipe(server).pipe(socket), server);
  });
  await new Promise<void>((resolve) => {
    wire.listen(0, '127.0.0.1', resolve);
  });
}, 60_000);

afterEach(async () => {
  await Promise.all(closings.splice(0).map((close) => close()));
});

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  wire?.close();
  await servers?.close();
}, 60_000);

function openLock(leaseMs?: number): KeyLock {
  const url = new URL(servers.roleUrls.party_1);
  url.hostname = '127.0.0.1';
  url.port = String((wire.address() as AddressInfo).port);
  const pool = openPool(url.toString(), 2, logger);
  const lock = createKeyLock(pool, 1, leaseMs);
  closings.push(async () => {
    await lock.close();
    await pool.end();
  });
  return lock;
}

/** As a firewall that forgot the connections: nothing comes through, and nobody is told. */
function goDead(): void {
  for (const socket of sockets) socket.unpipe().pause();
}

async function expiresAt(name: string): Promise<number> {
  const [row] = await query<{ expires_at: Date }>(
    servers.ownerUrl,
    'SELECT expires_at FROM party_1.key_lease WHERE name = $1',
    [name],
  );
  return row!.expires_at.getTime();
}

describe('the lock', () => {
  it('is held by one at a time, name by name', async () => {
    const [one, other] = [openLock(), openLock()];
    expect(await one.acquire('a')).toBe(true);
    expect(await other.acquire('a')).toBe(false);
    expect(await other.acquire('b')).toBe(true);
    await one.release('a');
    expect(await other.acquire('a')).toBe(true);
  });

  it('is let go when it was released as often as it was acquired', async () => {
    const [one, other] = [openLock(), openLock()];
    expect([await one.acquire('twice'), await one.acquire('twice')]).toEqual([true, true]);
    await one.release('twice');
    expect(await other.acquire('twice')).toBe(false);
    await one.release('twice');
    await one.release('twice');
    expect(await other.acquire('twice')).toBe(true);
  });

  it('is let go when its holder stops', async () => {
    const [one, other] = [openLock(), openLock()];
    expect(await one.acquire('c')).toBe(true);
    await one.close();
    expect(await other.acquire('c')).toBe(true);
  });

  it('is kept beyond its lease while its holder lives', async () => {
    const [one, other] = [openLock(SHORT_LEASE_MS), openLock()];
    expect(await one.acquire('long work')).toBe(true);
    const first = await expiresAt('long work');
    await eventually(async () => (await expiresAt('long work')) > first + SHORT_LEASE_MS);
    expect(await other.acquire('long work')).toBe(false);
  });

  it('is let go by itself when its holder is gone', async () => {
    const one = openLock(SHORT_LEASE_MS);
    expect(await one.acquire('left')).toBe(true);
    goDead();
    const other = openLock();
    expect(await other.acquire('left')).toBe(false);
    await eventually(async () => (await other.acquire('left')) || undefined);
  });

  it('gives up a connection that went dead without a word, and takes another', async () => {
    const lock = openLock();
    expect(await lock.acquire('d')).toBe(true);
    goDead();
    await expect(Promise.all([lock.acquire('e'), lock.release('d')])).rejects.toThrow(/timeout/i);
    expect(await lock.acquire('f')).toBe(true);
  }, 30_000);
});
