/**
 * Fifty keys, generated and imported, sign; then every secret that was ever whole somewhere, and those
 * that never were, is looked for in all that is kept or sent, and in the gateway's memory.
 */
import { createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ImportedSecret } from '../../client/dist/keys/imported-secret.js';
import { readKeyFile } from '../../client/dist/keys/read-key-file.js';
import { decodeKeyShare, FROST_SCHEME } from '../../signer/dist/secrets/frost/frost-key-share.js';
import { decodeRsaKeyShare } from '../../signer/dist/secrets/rsa/rsa-key-share.js';
import { RSA_SHARE_SCHEME } from '../../signer/dist/threads/rsa-public-values.js';
import { ChannelAttacker } from '../support/channel-attacker.ts';
import { readGenesis } from '../support/genesis.ts';
import { recordParties, type PartyRecorder } from '../support/party-recorder.ts';
import { importSecret } from '../support/desk-import.ts';
import {
  allowKeys,
  generateKey,
  RSA_PATIENCE_MS,
  type KeyView,
} from '../support/standalone-keys.ts';
import { memoryOf, sweepMemory } from '../support/process-memory.ts';
import { openRedisMonitor } from '../support/redis-monitor.ts';
import { bytesOf, factorModulus } from '../support/rsa-secrets.ts';
import { runWhere } from '../support/run-where.ts';
import {
  dumpDatabase,
  dumpRedis,
  openStoredShare,
  partySecret,
  sweep,
  wholeScalar,
} from '../support/secret-sweep.ts';
import { areDrillsRun } from '../support/drills.ts';
import { eventually, expectOk, openTestVault, type TestVault } from '../support/test-vault.ts';

const PARTIES = [1, 2, 3] as const;
const [HMAC_KEYS, ED25519_IMPORTS, RSA_IMPORTS, ED25519_GENERATED] = areDrillsRun
  ? [22, 8, 3, 16]
  : [5, 2, 1, 4];
const COUNT = HMAC_KEYS + ED25519_IMPORTS + RSA_IMPORTS + ED25519_GENERATED + 1;
/** Longer than any text that is there by chance, and the same in all HMAC secrets and passphrases. */
const MARK = `canary ${randomBytes(12).toString('hex')} `;
const PUBLIC_MARK = `public-${randomBytes(12).toString('hex')}`;

let vault: TestVault;
let diagnostics: string;
let redisTraffic: string;
let recorder: PartyRecorder;
const keys: KeyView[] = [];
const secrets = new Map<string, Buffer>();
/** One party's parts: its own rows may hold them sealed, and in no other way. */
const parts = new Map<string, Buffer>();

beforeAll(async () => {
  diagnostics = mkdtempSync(join(tmpdir(), 'countersign-heap-'));
  vault = await openTestVault({
    logLevel: 'debug',
    onServers: async ({ redis }) => {
      recorder = await recordParties(redis.url);
    },
    execArgv: ['--heapsnapshot-signal=SIGUSR2', `--diagnostic-dir=${diagnostics}`],
  });
  const monitor = await openRedisMonitor(vault.servers.redis.url);
  await makeKeys();
  await signWithAll();
  redisTraffic = monitor.traffic;
  monitor.stop();
  recorder.stop();
  await collectGeneratedSecrets();
}, RSA_PATIENCE_MS + 300_000);
afterAll(async () => {
  await vault?.close();
  rmSync(diagnostics, { recursive: true, force: true });
}, 60_000);

async function makeKeys(): Promise<void> {
  secrets.set('mark of HMAC secrets and passphrases', Buffer.from(MARK));
  for (let index = 0; index < HMAC_KEYS; index++) {
    const secret = Buffer.from(MARK + randomBytes(16).toString('hex'));
    const passphrase = `${MARK}${index}`;
    const venueApiKey = `${PUBLIC_MARK}-${index}`;
    const imported: ImportedSecret = { type: 'hmac', secret, passphrase, encoding: 'utf8' };
    keys.push(await importSecret(vault, imported, { venueId: 'kucoin', venueApiKey }));
  }
  for (let index = 0; index < ED25519_IMPORTS; index++) {
    const seed = randomBytes(32);
    secrets.set(`seed ${index}`, Buffer.from(seed));
    keys.push(await importSecret(vault, { type: 'ed25519', seed, encoding: 'seed' }));
  }
  for (let index = 0; index < RSA_IMPORTS; index++) {
    const pem = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
      format: 'pem',
      type: 'pkcs8',
    });
    const { d, p, q } = createPrivateKey(pem).export({ format: 'jwk' });
    for (const [name, text] of Object.entries({ d, p, q })) {
      secrets.set(`${name} of imported RSA key ${index}`, Buffer.from(text!, 'base64url'));
    }
    keys.push(await importSecret(vault, readKeyFile(Buffer.from(pem), { type: 'rsa' })));
  }
  for (let index = 0; index < ED25519_GENERATED; index++) {
    keys.push(await generateKey(vault, { type: 'ed25519', display_name: `generated ${index}` }));
  }
  keys.push(await generateKey(vault, { type: 'rsa', display_name: 'generated RSA' }));
}

async function signWithAll(): Promise<void> {
  const ids = keys.map(({ id }) => id);
  await allowKeys(vault, ids, { operations: ['raw_sign', 'sign'], operation_classes: ['read'] });
  await allowKeys(vault, ids, { operations: ['raw_sign'] });
  for (const { id, type } of keys) {
    const body = { message: 'sweep', message_encoding: 'utf8' };
    await expectOk(vault.admin, 'POST', `/v1/keys/${id}/raw-sign`, body);
    if (type !== 'hmac') continue;
    const request = { channel: 'rest', method: 'GET', path: '/api/v1/accounts' };
    await expectOk(vault.admin, 'POST', `/v1/keys/${id}/sign`, { venue_request: request });
  }
}

/** What no process ever held is put together here, from the shares of two parties. */
async function collectGeneratedSecrets(): Promise<void> {
  for (const key of keys.filter(({ custody }) => custody === 'mpc')) {
    if (key.type === 'rsa') await collectRsa(key);
    else await collectEd25519(key);
  }
}

async function collectEd25519(key: KeyView): Promise<void> {
  const shares = await Promise.all(
    PARTIES.map((party) => openStoredShare(vault, party, key.id, FROST_SCHEME)),
  );
  const scalars = shares.map((share) => Buffer.from(decodeKeyShare(share).signingShare));
  secrets.set(`private key ${key.id}`, wholeScalar(scalars[0]!, scalars[1]!));
  scalars.forEach((scalar, index) => parts.set(`share ${index + 1} of ${key.id}`, scalar));
}

async function collectRsa(key: KeyView): Promise<void> {
  const [first, second] = await Promise.all(
    ([1, 2] as const).map(async (party) =>
      decodeRsaKeyShare(await openStoredShare(vault, party, key.id, RSA_SHARE_SCHEME)),
    ),
  );
  const number = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  const d = number(first!.own) + number(second!.own) + number(second!.next);
  const { p, q } = factorModulus(number(first!.modulus), BigInt(first!.publicExponent), d);
  const reduced = d % ((p - 1n) * (q - 1n));
  for (const [name, value] of Object.entries({ p, q, d, reduced })) {
    secrets.set(`${name} of the generated RSA key`, bytesOf(value));
  }
  parts.set('d_1', Buffer.from(first!.own));
  parts.set('d_2', Buffer.from(second!.own));
}

describe(`after ${COUNT} keys were made, imported and used`, () => {
  it(`there are ${COUNT} of them, of every type and custody`, () => {
    expect(keys).toHaveLength(COUNT);
    expect(new Set(keys.map(({ type, custody }) => `${type} ${custody}`))).toEqual(
      new Set(['hmac split', 'ed25519 mpc_imported', 'rsa mpc_imported', 'ed25519 mpc', 'rsa mpc']),
    );
  });

  it('no secret is in Redis: no command, no value, no file', async () => {
    const { files, stored } = await dumpRedis(vault);
    expect(redisTraffic).toContain('countersign:party:');
    expect(sweep(secrets, redisTraffic, ...files, ...stored)).toEqual([]);
    expect(sweep(parts, redisTraffic, ...files, ...stored)).toEqual([]);
  });

  it('what the parties told each other opens with none of their lasting keys', async () => {
    const { genesisHash } = await readGenesis(vault);
    const stolen = new Map(PARTIES.map((party) => [party, partySecret(vault, party, 'exchange')]));
    const loot = new ChannelAttacker(stolen, genesisHash).open(recorder.frames);
    // each of three parties spoke to both others, and asked each for a key first
    expect(loot.questionsOpened).toBeGreaterThanOrEqual(6);
    expect(loot.messages).toBeGreaterThanOrEqual(6);
    expect(loot.opened).toEqual([]);
  }, 120_000);

  it("no secret is in PostgreSQL, any single party's rows included", async () => {
    const dump = await dumpDatabase(vault.servers.ownerUrl);
    // what is no secret is found
    expect(sweep(new Map([['public', Buffer.from(PUBLIC_MARK)]]), dump)).toEqual(['public']);
    expect(sweep(secrets, dump)).toEqual([]);
    expect(sweep(parts, dump)).toEqual([]);
  });

  it('no secret is in the output of any process, at debug level', () => {
    const outputs = [vault.stack.gateway, ...vault.stack.signers].map((one) => one.output());
    for (const output of outputs) expect(output).toContain('"event":"');
    expect(sweep(secrets, ...outputs)).toEqual([]);
    expect(sweep(parts, ...outputs)).toEqual([]);
  });

  const onLinux = runWhere(it, process.platform === 'linux', 'needs Linux');
  onLinux(
    "no secret is in the gateway's memory",
    () => {
      const { pid } = vault.stack.gateway;
      const known = ['public', Buffer.from(PUBLIC_MARK)] as const;
      expect(sweepMemory(new Map([known, ...secrets, ...parts]), memoryOf(pid))).toEqual([
        'public',
      ]);
    },
    120_000,
  );

  // last: a snapshot leaves much memory behind
  it("no secret is in the gateway's heap snapshot", async () => {
    process.kill(vault.stack.gateway.pid, 'SIGUSR2');
    const name = await eventually(
      () => readdirSync(diagnostics).find((entry) => entry.endsWith('.heapsnapshot')),
      60_000,
    );
    // written in one turn of the event loop: a gateway that answers has come to its end, though at first it
    // may not have looked at the ledger for too long
    await eventually(async () => (await vault.admin.get('/v1/whoami')).status === 200, 60_000);
    const file = readFileSync(join(diagnostics, name), 'latin1');
    const known = ['public', Buffer.from(PUBLIC_MARK)] as const;
    expect(sweep(new Map([known, ...secrets]), file)).toEqual(['public']);
  }, 120_000);
});
