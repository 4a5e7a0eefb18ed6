/** The lock between replicas of one party, on real PostgreSQL behind a wire that can go dead. */
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createKeyLock, type KeyLock } from '../signer/dist/party/key-lock.js';
import { openTestServers, type TestServers } from './support/test-servers.ts';
import { eventually } from './support/test-vault.ts';

let servers: TestServers;
let wire: Server;
const sockets: Socket[] = [];
const locks: KeyLock[] = [];

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
  await Promise.all(locks.splice(0).map((lock) => lock.close()));
});

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  wire?.close();
  await servers?.close();
}, 60_000);

function openLock(): KeyLock {
  const url = new URL(servers.roleUrls.party_1);
  url.hostname = '127.0.0.1';
  url.port = String((wire.address() as AddressInfo).port);
  const lock = createKeyLock(url.toString());
  locks.push(lock);
  return lock;
}

/** As a firewall that forgot the connections: nothing comes through, and nobody is told. */
function goDead(): void {
  for (const socket of sockets) socket.unpipe().pause();
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

  it('is let go by PostgreSQL when its holder is gone', async () => {
    const [one, other] = [openLock(), openLock()];
    expect(await one.acquire('c')).toBe(true);
    await one.close();
    await eventually(async () => (await other.acquire('c')) || undefined);
  });

  it('gives up a connection that went dead without a word, and takes another', async () => {
    const lock = openLock();
    expect(await lock.acquire('d')).toBe(true);
    goDead();
    await expect(Promise.all([lock.acquire('e'), lock.release('d')])).rejects.toThrow(/timeout/i);
    expect(await lock.acquire('f')).toBe(true);
  }, 30_000);
});
