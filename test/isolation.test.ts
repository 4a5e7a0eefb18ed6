/** Where secrets are not: swept for in all that Redis, PostgreSQL and the logs hold. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sodium } from '@countersign/custody/sodium.js';
import { decodeKeyShare, FROST_SCHEME } from '../signer/dist/secrets/frost/frost-key-share.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { openRedisMonitor } from './support/redis-monitor.ts';
import {
  dumpDatabase,
  dumpRedis,
  openStoredShare,
  partySecret,
  sweep,
  wholeScalar,
} from './support/secret-sweep.ts';
import { runWhere } from './support/run-where.ts';
import { deliver, rawSignRequest } from './support/signed-request.ts';
import { openTestVault, PATIENT, type TestUser, type TestVault } from './support/test-vault.ts';
import type { TestWallet } from './support/test-vault.ts';

const BODY_CANARY = `body canary ${randomBytes(16).toString('hex')}`;

let vault: TestVault;
let bot: TestUser;
let wallet: TestWallet;
let redisTraffic: string;
const secrets = new Map<string, Buffer>();

beforeAll(async () => {
  vault = await openTestVault({ logLevel: 'debug' });
  const monitor = await openRedisMonitor(vault.servers.redis.url);
  await useEverything();
  redisTraffic = monitor.traffic;
  monitor.stop();
  await collectSecrets();
}, 90_000);
afterAll(() => vault?.close(), 60_000);

/** Users, keys, signatures, refusals: whatever could let a secret slip. */
async function useEverything(): Promise<void> {
  bot = await vault.createMachine();
  const frozen = await vault.createMachine();
  wallet = await vault.createWallet({ initiators: [bot.id, frozen.id] });
  await vault.admin.send({ method: 'POST', target: `/v1/users/freeze?user_ids=${frozen.id}` });
  const message = Buffer.from(BODY_CANARY);
  for (let round = 0; round < 6; round++) {
    const request = rawSignRequest(bot.credential, wallet.path, message);
    expect((await deliver(vault.baseUrl, request, PATIENT)).status).toBe(200);
  }
  const request = rawSignRequest(bot.credential, wallet.path, message);
  const later = await deliver(vault.baseUrl, request, { prefer: 'respond-async' });
  expect(later.status).toBe(202);
  const ofFrozen = rawSignRequest(frozen.credential, wallet.path, message);
  expect((await deliver(vault.baseUrl, ofFrozen)).status).toBe(401);
  const denied = rawSignRequest(vault.adminCredential, wallet.path, message);
  expect((await deliver(vault.baseUrl, denied)).status).toBe(403);
  const wrong = { 'x-request-assertion': 'A'.repeat(86) };
  expect((await deliver(vault.baseUrl, request, wrong)).status).toBe(401);
  const garbled = await fetch(`${vault.baseUrl}${wallet.path}/raw-sign`, {
    method: 'POST',
    headers: { ...request.headers, 'content-type': 'application/json' },
    body: `{"message": "${BODY_CANARY}`,
  });
  expect(garbled.status).toBe(401);
}

async function collectSecrets(): Promise<void> {
  const { adminCredential, prepared } = vault;
  for (const [name, { apiKey, privateKey }] of [
    ['bot', bot.credential],
    ['administrator', adminCredential],
  ] as const) {
    secrets.set(`API key of the ${name}`, Buffer.from(apiKey));
    secrets.set(`API key of the ${name} as bytes`, Buffer.from(apiKey.replaceAll('-', ''), 'hex'));
    const { d } = privateKey.export({ format: 'jwk' });
    secrets.set(`private key of the ${name}`, Buffer.from(d!, 'base64url'));
  }
  const pem = readFileSync(prepared.admin.private_key_file, 'utf8').split('\n')[1]!;
  secrets.set('PEM file', Buffer.from(pem));
  const evidenceFile = JSON.parse(readFileSync(prepared.evidenceKeyFile, 'utf8')) as {
    keys: Record<string, string>;
  };
  for (const key of Object.values(evidenceFile.keys)) {
    secrets.set('evidence key', Buffer.from(key, 'base64'));
  }
  const shares: Buffer[] = [];
  for (const party of PARTY_NUMBERS) {
    const folder = prepared.keyDir(party);
    secrets.set(`KEK of party ${party}`, readFileSync(join(folder, 'kek.key')));
    for (const purpose of ['identity', 'exchange'] as const) {
      secrets.set(`${purpose} key of party ${party}`, partySecret(vault, party, purpose));
    }
    const opened = await openStoredShare(vault, party, wallet.keyId, FROST_SCHEME);
    const share = Buffer.from(decodeKeyShare(opened).signingShare);
    secrets.set(`share of party ${party}`, share);
    shares.push(share);
  }
  const whole = wholeScalar(shares[0]!, shares[1]!);
  const publicKey = Buffer.alloc(32);
  sodium.crypto_scalarmult_ed25519_base_noclamp(publicKey, whole);
  expect(publicKey.toString('base64')).toBe(wallet.publicKey); // it is the real key we look for
  secrets.set('private key of the wallet', whole);
}

const withBody = () => new Map([...secrets, ['message body', Buffer.from(BODY_CANARY)]]);

describe('secrets', () => {
  it('are not in Redis: no command, no stored value, no line of the append-only file', async () => {
    const { files, stored } = await dumpRedis(vault);
    expect(redisTraffic).toContain('countersign.sign.party_1.a');
    expect(files.join('')).toContain('countersign:nonce:');
    expect(stored.join('')).toContain('countersign:presence');
    expect(sweep(withBody(), redisTraffic, ...files, ...stored)).toEqual([]);
  });

  it('are not in PostgreSQL, in no table of any schema', async () => {
    const dump = await dumpDatabase(vault.servers.ownerUrl);
    // what is no secret is found: callers' requests are kept as evidence, their credentials sealed
    expect(sweep(new Map([['id', Buffer.from(wallet.keyId)]]), dump)).toEqual(['id']);
    expect(sweep(new Map([['path', Buffer.from(wallet.path)]]), dump)).toEqual(['path']);
    expect(sweep(secrets, dump)).toEqual([]);
  });

  it('are not in the output of any process, at debug level', () => {
    const { gateway, signers } = vault.stack;
    const outputs = [gateway, ...signers].map((process) => process.output());
    for (const output of outputs) expect(output).toContain('"event":"');
    expect(sweep(withBody(), ...outputs)).toEqual([]);
  });
});

const onLinux = runWhere(describe, process.platform === 'linux', 'needs Linux');

onLinux('processes', () => {
  const LISTENING = '0A';

  /** Local addresses on which this very process listens. */
  function listeningPorts(pid: number): string[] {
    const descriptors = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
      } catch {
        return []; // closed meanwhile
      }
    });
    return ['tcp', 'tcp6'].flatMap((protocol) =>
      readFileSync(`/proc/${pid}/net/${protocol}`, 'utf8')
        .split('\n')
        .slice(1)
        .map((line) => line.trim().split(/\s+/))
        .filter(([, , , state, , , , , , inode]) => {
          return state === LISTENING && descriptors.includes(`socket:[${inode}]`);
        })
        .map(([, address]) => address!),
    );
  }

  it('listen on one port when they are gateways, on none when they are signers', () => {
    const { gateway, signers } = vault.stack;
    const [address, ...others] = listeningPorts(gateway.pid);
    expect(others).toEqual([]);
    expect(address).toBe(`0100007F:${gateway.port!.toString(16).toUpperCase().padStart(4, '0')}`);
    for (const signer of signers) expect(listeningPorts(signer.pid)).toEqual([]);
  });

  it('have no way to the keys of a party when they are gateways, or of another one', () => {
    const { gateway, signers } = vault.stack;
    const environment = (pid: number) => readFileSync(`/proc/${pid}/environ`, 'utf8');
    const folders = PARTY_NUMBERS.map((party) => vault.prepared.keyDir(party));
    for (const folder of folders) expect(environment(gateway.pid)).not.toContain(folder);
    expect(environment(gateway.pid)).not.toMatch(/KEY_DIR|KEK|countersign_party/);
    signers.forEach((signer, index) => {
      const named = folders.filter((folder) => environment(signer.pid).includes(folder));
      expect(named).toEqual([folders[index]]);
      const commandLine = readFileSync(`/proc/${signer.pid}/cmdline`, 'utf8');
      expect(sweep(secrets, environment(signer.pid), commandLine)).toEqual([]);
    });
    expect(sweep(secrets, environment(gateway.pid))).toEqual([]);
  });
});
