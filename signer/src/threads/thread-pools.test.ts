import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ed25519ph } from '@noble/curves/ed25519.js';
import type { RoundOnePackages } from '../frost/dkg.js';
import { createNoncePoolMemory } from '../frost/nonce-pool.js';
import type { GeneratedFrostKey, LeadItem, PartnerItem } from './frost-tasks.js';
import type { ThreadPools } from './thread-pools.js';

// Threads run built code, so the pools are taken from there too.
const BUILT_POOLS = new URL('../../dist/threads/thread-pools.js', import.meta.url);
const BATCH = 32;
const PARTIES = [1, 2, 3] as const;

type Party = (typeof PARTIES)[number];
type OpenThreadPools = typeof import('./thread-pools.js').openThreadPools;

let openThreadPools: OpenThreadPools;
let directory: string;
let pools: ThreadPools[];
let keys: GeneratedFrostKey[];

const caller = generateKeyPairSync('ed25519');
const callerPublicKey = rawPublicKey(caller.publicKey.export({ format: 'jwk' }));
let lastSerial = 0;

function rawPublicKey(jwk: { x?: string }): Uint8Array {
  return Uint8Array.from(Buffer.from(jwk.x ?? '', 'base64url'));
}

function isSigned(message: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean {
  const x = Buffer.from(publicKey).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, message, key, signature);
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('missing in the test');
  return value;
}

function poolsOf(party: Party): ThreadPools {
  return present(pools[party - 1]);
}

function keyOf(party: Party): GeneratedFrostKey {
  return present(keys[party - 1]);
}

function secretFile(name: string, bytes = 32): string {
  const path = join(directory, name);
  writeFileSync(path, randomBytes(bytes), { mode: 0o600 });
  return path;
}

function optionsOf(party: Party, prefix = '') {
  return {
    party,
    kekFile: secretFile(`${prefix}kek-${party}`),
    identitySeedFile: secretFile(`${prefix}seed-${party}`),
    nonceMemory: createNoncePoolMemory(BATCH),
  };
}

async function roundOne(sessionId: string): Promise<RoundOnePackages> {
  const [first, second, third] = await Promise.all(
    pools.map((pool) => pool.dkgRound1({ sessionId })),
  );
  return [present(first), present(second), present(third)];
}

async function generate(sessionId: string, keyId: string): Promise<GeneratedFrostKey[]> {
  const roundOnePackages = await roundOne(sessionId);
  const sent = (
    await Promise.all(pools.map((pool) => pool.dkgRound2({ sessionId, roundOnePackages })))
  ).flat();
  return Promise.all(
    pools.map((pool) =>
      pool.dkgRound3({
        sessionId,
        roundOnePackages,
        roundTwoPackages: sent
          .filter((one) => one.recipient === pool.party)
          .map((one) => one.bytes),
        keyId,
        version: 1,
      }),
    ),
  );
}

function storedKey(party: Party) {
  const { wrappedDek, sealed, groupPublicKey } = keyOf(party);
  return { keyId: 'key-1', version: 1, wrappedDek, sealed, groupPublicKey };
}

/** A request of the caller, as each party holds it. */
function request() {
  const digest = randomBytes(32);
  const assertion = sign(null, digest, caller.privateKey);
  return { evidence: { digest, assertion, callerPublicKey }, message: randomBytes(120) };
}

function freshSlots(count: number) {
  lastSerial += 1;
  return Array.from({ length: count }, (_, slot) => ({ slot, serial: lastSerial }));
}

function flip(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes, (byte, at) => (at === 20 ? byte ^ 1 : byte));
}

/** Both parties' items for some requests, up to and with the partner's work. */
async function prepare(
  lead: Party,
  partner: Party,
  count: number,
  change: (item: PartnerItem, index: number) => PartnerItem = (item) => item,
) {
  const slots = freshSlots(count);
  const commitments = await poolsOf(lead).commit(slots);
  const partnerItems = slots.map((_, index) =>
    change(
      {
        ...request(),
        key: storedKey(partner),
        leadParty: lead,
        leadCommitment: commitments.subarray(index * 64, (index + 1) * 64),
        receiptBytes: randomBytes(200),
      },
      index,
    ),
  );
  const partnerResults = await poolsOf(partner).partner(partnerItems);
  const leadItems = slots.map((slot, index): LeadItem => {
    const result = present(partnerResults[index]);
    const { evidence, message, scheme, receiptBytes } = present(partnerItems[index]);
    return {
      evidence,
      message,
      ...(scheme !== undefined && { scheme }),
      key: storedKey(lead),
      partnerParty: partner,
      partnerCommitment: result.ok ? result.ownCommitment : new Uint8Array(64),
      partnerShare: result.ok ? result.signatureShare : new Uint8Array(32),
      receiptBytes: present(receiptBytes),
      partnerReceiptSignature: result.ok ? present(result.receiptSignature) : new Uint8Array(64),
      partnerIdentityKey: poolsOf(partner).identityPublicKey,
      ...slot,
    };
  });
  return { partnerItems, partnerResults, leadItems };
}

beforeAll(async () => {
  if (!existsSync(fileURLToPath(BUILT_POOLS))) {
    throw new Error('run `npx tsc -b shared signer` first');
  }
  ({ openThreadPools } = (await import(BUILT_POOLS.href)) as { openThreadPools: OpenThreadPools });
  directory = mkdtempSync(join(tmpdir(), 'countersign-threads-'));
  pools = await Promise.all(PARTIES.map((party) => openThreadPools(optionsOf(party))));
  keys = await generate('setup', 'key-1');
}, 30_000);

afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.close()));
  rmSync(directory, { recursive: true });
});

describe('key generation between three parties', () => {
  test('ends with one key and three sealed shares', () => {
    const [first, second, third] = keys;
    for (const other of [second, third]) {
      expect(other?.groupPublicKey).toEqual(first?.groupPublicKey);
      expect(other?.verifyingShares).toEqual(first?.verifyingShares);
      expect(other?.transcriptHash).toEqual(first?.transcriptHash);
    }
    // 12 nonce + 162 share + 16 tag; 12 nonce + 32 key + 16 tag.
    expect(keys.map((key) => [key.sealed.length, key.wrappedDek.length])).toEqual(
      keys.map(() => [190, 60]),
    );
  });

  test('a session exists once, in one thread, and ends with a failure', async () => {
    const pool = poolsOf(1);
    const packages = await roundOne('twice');
    await expect(pool.dkgRound1({ sessionId: 'twice' })).rejects.toThrow('already under way');
    const swapped: RoundOnePackages = [packages[0], packages[2], packages[1]];
    const wrong = pool.dkgRound2({ sessionId: 'twice', roundOnePackages: swapped });
    await expect(wrong).rejects.toThrow('not a package of participant 2');
    const late = pool.dkgRound2({ sessionId: 'twice', roundOnePackages: packages });
    await expect(late).rejects.toThrow('not under way');
  });
});

describe('signing', () => {
  test.each<[Party, Party]>([
    [1, 2],
    [2, 1],
    [1, 3],
    [3, 1],
    [2, 3],
    [3, 2],
  ])(
    'party %d leads and party %d helps: a batch of 32 signatures verifies',
    async (lead, partner) => {
      const { leadItems } = await prepare(lead, partner, BATCH);
      const results = await poolsOf(lead).lead(leadItems);
      expect(results).toHaveLength(BATCH);
      results.forEach((result, index) => {
        const item = present(leadItems[index]);
        if (!result.ok) throw new Error(result.reason);
        expect(isSigned(item.message, result.signature, keyOf(1).groupPublicKey)).toBe(true);
        const receiptSignatures: [Uint8Array, Party][] = [
          [result.receiptSignature, lead],
          [item.partnerReceiptSignature, partner],
        ];
        for (const [signature, party] of receiptSignatures) {
          const identityKey = poolsOf(party).identityPublicKey;
          expect(isSigned(item.receiptBytes, signature, identityKey)).toBe(true);
        }
      });
    },
  );

  test('a nonce slot that was used is refused, and its repeat signs nothing', async () => {
    const { leadItems } = await prepare(1, 2, 2);
    const first = await poolsOf(1).lead(leadItems);
    expect(first.map((result) => result.ok)).toEqual([true, true]);
    const again = await poolsOf(1).lead(leadItems);
    expect(again).toEqual(leadItems.map(() => ({ ok: false, reason: 'nonce-gone' })));
    await expect(
      poolsOf(1).commit([{ slot: present(leadItems[0]).slot, serial: lastSerial }]),
    ).rejects.toThrow('cannot be filled');
  });

  test('a batch that names one slot twice signs once', async () => {
    const { leadItems } = await prepare(1, 2, 1);
    const item = present(leadItems[0]);
    const results = await poolsOf(1).lead([item, item]);
    expect(results.map((result) => result.ok)).toEqual([true, false]);
    expect(results[1]).toEqual({ ok: false, reason: 'nonce-gone' });
  });

  test("a partner's wrong share names the partner, and the rest of the batch is signed", async () => {
    const { leadItems } = await prepare(1, 3, 4);
    const damaged = leadItems.map((item, index) => {
      const partnerShare = Uint8Array.from(item.partnerShare);
      if (index === 1) partnerShare[5] = (partnerShare[5] ?? 0) ^ 1;
      if (index === 2) partnerShare.fill(0xff);
      return { ...item, partnerShare };
    });
    const results = await poolsOf(1).lead(damaged);
    const blamed = { ok: false, reason: 'partner-share', culprit: 3 };
    expect(results.map((result) => result.ok)).toEqual([true, false, false, true]);
    expect(results.slice(1, 3)).toEqual([blamed, blamed]);
  });

  test('what is wrong with an item is told, item by item, to the partner', async () => {
    const other = keyOf(1);
    const changes: [string, (item: PartnerItem) => PartnerItem][] = [
      ['ok', (item) => item],
      [
        'assertion',
        (item) => ({ ...item, evidence: { ...item.evidence, digest: randomBytes(32) } }),
      ],
      [
        'assertion',
        (item) => ({ ...item, evidence: { ...item.evidence, digest: randomBytes(31) } }),
      ],
      [
        'assertion',
        (item) => ({
          ...item,
          evidence: { ...item.evidence, callerPublicKey: new Uint8Array(32) },
        }),
      ],
      ['commitment', (item) => ({ ...item, leadCommitment: new Uint8Array(64) })],
      ['commitment', (item) => ({ ...item, leadCommitment: item.leadCommitment.subarray(1) })],
      ['commitment', (item) => ({ ...item, leadParty: 2 })],
      ['commitment', (item) => ({ ...item, leadParty: 4 })],
      ['share', (item) => ({ ...item, key: { ...item.key, keyId: 'key-2' } })],
      ['share', (item) => ({ ...item, key: { ...item.key, version: 2 } })],
      ['share', (item) => ({ ...item, key: { ...item.key, sealed: flip(item.key.sealed) } })],
      ['share', (item) => ({ ...item, key: { ...item.key, wrappedDek: other.wrappedDek } })],
      ['share', (item) => ({ ...item, key: { ...item.key, groupPublicKey: callerPublicKey } })],
      ['ok', (item) => item],
    ];
    const { partnerResults } = await prepare(1, 2, changes.length, (item, index) =>
      present(changes[index])[1](item),
    );
    expect(partnerResults.map((result) => (result.ok ? 'ok' : result.reason))).toEqual(
      changes.map(([reason]) => reason),
    );
  });

  test('what is wrong with an item is told, item by item, to the lead', async () => {
    const changes: [string, (item: LeadItem) => LeadItem][] = [
      ['ok', (item) => item],
      [
        'assertion',
        (item) => ({ ...item, evidence: { ...item.evidence, digest: randomBytes(32) } }),
      ],
      ['commitment', (item) => ({ ...item, partnerCommitment: new Uint8Array(64) })],
      ['commitment', (item) => ({ ...item, partnerParty: 1 })],
      ['share', (item) => ({ ...item, key: { ...item.key, keyId: 'key-2' } })],
      ['nonce-gone', (item) => ({ ...item, serial: item.serial + 1 })],
      [
        'partner-receipt',
        (item) => ({ ...item, partnerReceiptSignature: flip(item.partnerReceiptSignature) }),
      ],
      [
        'partner-receipt',
        (item) => ({
          ...item,
          partnerReceiptSignature: item.partnerReceiptSignature.subarray(0, 63),
        }),
      ],
      ['partner-receipt', (item) => ({ ...item, receiptBytes: flip(item.receiptBytes) })],
      [
        'partner-receipt',
        (item) => ({ ...item, partnerIdentityKey: poolsOf(3).identityPublicKey }),
      ],
      ['partner-receipt', (item) => ({ ...item, partnerIdentityKey: new Uint8Array(31) })],
      ['partner-share', (item) => ({ ...item, message: randomBytes(4) })],
      ['fault', (item) => ({ ...item, slot: -1 })],
      ['ok', (item) => item],
    ];
    const { leadItems } = await prepare(1, 2, changes.length);
    const changed = leadItems.map((item, index) => present(changes[index])[1](item));
    const results = await poolsOf(1).lead(changed);
    expect(results.map((result) => (result.ok ? 'ok' : result.reason))).toEqual(
      changes.map(([reason]) => reason),
    );
    // A refused item has used up its nonces as well; one with another serial has touched none.
    const retried = await poolsOf(1).lead(leadItems);
    expect(retried.map((result) => (result.ok ? 'ok' : result.reason))).toEqual(
      changes.map(([reason]) =>
        reason === 'nonce-gone' || reason === 'fault' ? 'ok' : 'nonce-gone',
      ),
    );
  });

  test("without its partner's receipt a lead computes nothing: not even a wrong share is met", async () => {
    const { leadItems } = await prepare(1, 2, 1);
    const [result] = await poolsOf(1).lead(
      leadItems.map((item) => ({
        ...item,
        partnerShare: new Uint8Array(32).fill(0xff),
        partnerReceiptSignature: new Uint8Array(64),
      })),
    );
    expect(result).toEqual({ ok: false, reason: 'partner-receipt' });
  });

  test("a share sealed for one party does not open at another's", async () => {
    const { partnerResults } = await prepare(1, 2, 1, (item) => ({ ...item, key: storedKey(3) }));
    expect(partnerResults).toEqual([{ ok: false, reason: 'share' }]);
  });

  test('a partner signs the receipt of what it helped sign, and no other', async () => {
    const receiptBytes = randomBytes(80);
    const { partnerResults } = await prepare(1, 2, 2, (item, index) => ({
      ...item,
      receiptBytes,
      leadCommitment: index === 0 ? item.leadCommitment : new Uint8Array(64),
    }));
    const [signed, refused] = partnerResults;
    const receiptSignature = signed?.ok ? present(signed.receiptSignature) : new Uint8Array(64);
    expect(isSigned(receiptBytes, receiptSignature, poolsOf(2).identityPublicKey)).toBe(true);
    expect(refused).toEqual({ ok: false, reason: 'commitment' });
  });
});

describe('Ed25519ph', () => {
  const prehashed = (item: PartnerItem): PartnerItem => ({ ...item, scheme: 'ed25519ph' });

  test.each<[Party, Party]>([
    [1, 2],
    [2, 1],
    [1, 3],
    [3, 1],
    [2, 3],
    [3, 2],
  ])(
    'party %d leads and party %d helps: signatures verify, as nothing else',
    async (lead, partner) => {
      const { leadItems } = await prepare(lead, partner, 4, prehashed);
      const results = await poolsOf(lead).lead(leadItems);
      const { groupPublicKey } = keyOf(1);
      results.forEach((result, index) => {
        if (!result.ok) throw new Error(result.reason);
        const { message } = present(leadItems[index]);
        const { signature } = result;
        const prehash = createHash('sha512').update(message).digest();
        expect(ed25519ph.verify(signature, message, groupPublicKey, { zip215: false })).toBe(true);
        expect(isSigned(message, signature, groupPublicKey)).toBe(false);
        expect(isSigned(prehash, signature, groupPublicKey)).toBe(false);
      });
    },
  );

  test('a pure signature is none of the prehashed message', async () => {
    const { leadItems } = await prepare(1, 2, 1);
    const [result] = await poolsOf(1).lead(leadItems);
    if (!result?.ok) throw new Error('not signed');
    const { message } = present(leadItems[0]);
    const options = { zip215: false };
    expect(ed25519ph.verify(result.signature, message, keyOf(1).groupPublicKey, options)).toBe(
      false,
    );
  });

  test('a lead and a partner of different schemes make no signature', async () => {
    const { leadItems } = await prepare(1, 2, 2, (item, index) =>
      index === 0 ? prehashed(item) : item,
    );
    const mixed = leadItems.map(({ scheme, ...item }): LeadItem =>
      scheme === undefined ? { ...item, scheme: 'ed25519ph' } : item,
    );
    const blamed = { ok: false, reason: 'partner-share', culprit: 2 };
    expect(await poolsOf(1).lead(mixed)).toEqual([blamed, blamed]);
  });
});

describe('a thread', () => {
  test("signs attestations with the party's identity key", async () => {
    const pool = poolsOf(3);
    const messages = [randomBytes(10), new Uint8Array(0), randomBytes(1000)];
    const signatures = await pool.signIdentity(messages);
    signatures.forEach((signature, index) => {
      expect(isSigned(present(messages[index]), signature, pool.identityPublicKey)).toBe(true);
    });
    expect(pool.kekId).toMatch(/^file:/);
  });

  test('returns values that carry no memory but their own', async () => {
    const { partnerResults } = await prepare(1, 2, 1);
    const [result] = partnerResults;
    expect(result?.ok && result.signatureShare.buffer.byteLength).toBe(32);
    expect(result?.ok && result.ownCommitment.buffer.byteLength).toBe(64);
    expect(keyOf(1).sealed.buffer.byteLength).toBe(keyOf(1).sealed.length);
  });

  test('does not start with a KEK that others may read, and the pools say why', async () => {
    const options = optionsOf(1, 'open-');
    chmodSync(options.kekFile, 0o644);
    await expect(openThreadPools(options)).rejects.toThrow('set it to 0600');
  });

  test('does not start with an identity seed of another size', async () => {
    const options = { ...optionsOf(1, 'short-'), identitySeedFile: secretFile('short', 31) };
    await expect(openThreadPools(options)).rejects.toThrow('expected 32 raw bytes');
  });

  test('shares one nonce pool with its siblings', async () => {
    const options = optionsOf(2, 'pair-');
    const pool = await openThreadPools({ ...options, maxThreads: 2 });
    try {
      await pool.commit(Array.from({ length: BATCH }, (_, slot) => ({ slot, serial: 1 })));
      const receiptBytes = randomBytes(80);
      const [partnerReceiptSignature] = await poolsOf(1).signIdentity([receiptBytes]);
      const receipt = {
        receiptBytes,
        partnerReceiptSignature: present(partnerReceiptSignature),
        partnerIdentityKey: poolsOf(1).identityPublicKey,
      };
      // The key is another KEK's, so each item ends as `share`: what counts is who got the nonces.
      const items = Array.from({ length: BATCH }, (_, slot): LeadItem => ({
        ...request(),
        key: storedKey(2),
        partnerParty: 1,
        partnerCommitment: new Uint8Array(64),
        partnerShare: new Uint8Array(32),
        ...receipt,
        slot,
        serial: 1,
      }));
      const [one, two] = await Promise.all([pool.lead(items), pool.lead(items)]);
      const gone = [present(one), present(two)].map((results) =>
        results.map((result) => !result.ok && result.reason === 'nonce-gone'),
      );
      items.forEach((_, slot) => {
        expect([gone[0]?.[slot], gone[1]?.[slot]].filter(Boolean)).toHaveLength(1);
      });
    } finally {
      await pool.close();
    }
  });
});
