/** Signing with imported HMAC secrets and RSA keys, and the trials that make them active. */
import { constants, createHmac, randomBytes, verify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { importInfo } from '@countersign/custody/import-package.js';
import type { SignatureScheme } from '@countersign/core/signature-schemes.js';
import {
  sealPackage,
  splitHmac,
  splitHmacPayload,
  splitRsa,
  type SplitSecret,
} from '../../../../test/support/split-secrets.js';
import { rsaTestKey } from '../../../../test/support/rsa-test-keys.js';
import {
  isSigned,
  openThreadParties,
  PAIRS,
  present,
  storedAs,
  type KeyOfParties,
  type Party,
  type ThreadParties,
} from '../../../../test/support/thread-parties.js';
import { RSA_SHARE_SCHEME } from '../../threads/rsa-public-values.js';
import type { SealedShare } from '../../threads/sealed-share.js';
import type { LeadItem, LeadResult, StoredKey } from '../../threads/thread-tasks.js';
import { encodeRsaKeyShare } from '../rsa/rsa-key-share.js';
import { openFileKek } from '../kek/file-kek.js';
import { sealShare } from '../sealing/share-seal.js';

const SECRET = randomBytes(40);
const PASSPHRASE = 'third £ secret';
const rsaPair = rsaTestKey('2048');
const rsaSpki = rsaPair.publicKey.export({ format: 'der', type: 'spki' });

const hmacSplit = splitHmac(SECRET, PASSPHRASE);

let parties: ThreadParties;
let hmac: KeyOfParties;
let rsa: KeyOfParties;
let ed25519: KeyOfParties;

async function importKey(
  keyId: string,
  type: StoredKey['type'],
  split: SplitSecret,
  publicKey: Uint8Array = new Uint8Array(),
): Promise<KeyOfParties> {
  return Promise.all(
    parties.pools.map(async (pool, index) => {
      const party = (index + 1) as Party;
      const { publicKey: recipientKey, ...recipient } = await pool.makeRecipient(`for ${keyId}`);
      const context = { genesisHash: 'ab', party, userId: 'u', type };
      const sealedPart = await sealPackage(present(split[index]), recipientKey, context);
      const info = importInfo(context);
      const common = { keyId, version: 1, type, publicKey };
      const result = await pool.openImport({ ...common, recipient, info, sealedPart });
      if (!result.ok) throw new Error(result.reason);
      return storedAs(keyId, type, result);
    }),
  );
}

beforeAll(async () => {
  parties = await openThreadParties();
  const generated = await parties.generate('setup', 'ed25519-key');
  ed25519 = generated.map((share) => storedAs('ed25519-key', 'ed25519', share));
  hmac = await importKey('hmac-key', 'hmac', hmacSplit);
  rsa = await importKey('rsa-key', 'rsa', splitRsa(rsaPair.privateKey), rsaSpki);
}, 30_000);

afterAll(() => parties.close());

function flipAt(bytes: Uint8Array, position: number): Uint8Array {
  return Uint8Array.from(bytes, (byte, at) => (at === position ? byte ^ 1 : byte));
}

/** One item for the lead, prepared with its partner. */
async function leadItem(
  lead: Party,
  partner: Party,
  key: KeyOfParties,
  scheme: SignatureScheme,
): Promise<LeadItem> {
  const { leadItems } = await parties.prepare(lead, partner, [key], { scheme });
  return present(leadItems[0]);
}

async function leads(lead: Party, items: readonly LeadItem[]): Promise<readonly LeadResult[]> {
  return parties.poolsOf(lead).lead(items);
}

function reasonOf(result: LeadResult | undefined): string {
  return result === undefined ? 'nothing' : result.ok ? 'ok' : result.reason;
}

describe('an HMAC secret in three parts', () => {
  test.each(PAIRS)('party %d leads and party %d helps: the HMAC of the whole', async (...pair) => {
    for (const hash of ['sha256', 'sha384', 'sha512'] as const) {
      const item = await leadItem(...pair, hmac, `hmac_${hash}`);
      const [result] = await leads(pair[0], [item]);
      if (!result?.ok) throw new Error(reasonOf(result));
      const expected = createHmac(hash, SECRET).update(item.message).digest('hex');
      expect(Buffer.from(result.signature).toString('hex')).toBe(expected);
      expect(result.passphrase).toBe('');
    }
  });

  test.each(PAIRS)(
    'party %d leads and party %d gives the one part that it lacks',
    async (...pair) => {
      const [lead] = pair;
      const { contribution } = await leadItem(...pair, hmac, 'hmac_sha256');
      const partsOf = (party: number) => {
        const { part } = present(hmacSplit[party - 1]);
        return part.type === 'hmac' ? part.parts.map((bytes) => Buffer.from(bytes)) : [];
      };
      const held = partsOf(lead).map((bytes) => bytes.toString('hex'));
      const all = [1, 2, 3].flatMap((party) =>
        partsOf(party).map((bytes) => bytes.toString('hex')),
      );
      const missing = all.filter((part) => !held.includes(part));
      expect(missing).toContain(Buffer.from(contribution).toString('hex'));
      expect(new Set(missing).size).toBe(1);
    },
  );

  test('gives the passphrase as the venue wants it, and only when it wants one', async () => {
    const item = await leadItem(1, 2, hmac, 'hmac_sha256');
    const results = await leads(1, [
      item,
      { ...item, passphrase: 'plain' },
      { ...item, passphrase: 'hmac_sha256' },
    ]);
    expect(results.map((result) => result.ok && result.passphrase)).toEqual([
      '',
      PASSPHRASE,
      createHmac('sha256', SECRET).update(PASSPHRASE).digest('base64'),
    ]);
  });

  test('with a wrong part from the partner signs nothing, and names the partner', async () => {
    const item = await leadItem(3, 1, hmac, 'hmac_sha256');
    const { contribution } = item;
    const wrong = [
      flipAt(contribution, 0),
      flipAt(contribution, contribution.length - 1),
      contribution.subarray(1),
      Buffer.concat([contribution, Buffer.alloc(1)]),
      new Uint8Array(),
      randomBytes(contribution.length),
      new Uint8Array(contribution.length),
    ];
    const results = await leads(
      3,
      wrong.map((bytes) => ({ ...item, contribution: bytes })),
    );
    expect(results).toEqual(wrong.map(() => ({ ok: false, reason: 'partner-share', culprit: 1 })));
    expect(reasonOf((await leads(3, [item]))[0])).toBe('ok');
  });

  test('with parts of another import by its partner signs nothing, and names the partner', async () => {
    const other = await importKey('hmac-key', 'hmac', splitHmac(SECRET, PASSPHRASE));
    const item = await leadItem(1, 2, hmac, 'hmac_sha256');
    const { contribution } = await leadItem(1, 2, other, 'hmac_sha256');
    const [result] = await leads(1, [{ ...item, contribution }]);
    expect(result).toEqual({ ok: false, reason: 'partner-share', culprit: 2 });
  });

  test('that its importer did not make of a secret signs nothing, and names nobody', async () => {
    const split = splitHmacPayload(randomBytes(200));
    const noSecret = await importKey('no-secret', 'hmac', split);
    for (const pair of PAIRS) {
      const item = await leadItem(...pair, noSecret, 'hmac_sha256');
      expect(await leads(pair[0], [item])).toEqual([{ ok: false, reason: 'share' }]);
    }
  });

  test('is refused, item by item, as every key is', async () => {
    const item = await leadItem(1, 2, hmac, 'hmac_sha256');
    const { key, evidence } = item;
    const changes: [string, Partial<LeadItem>][] = [
      ['ok', {}],
      ['assertion', { evidence: { ...evidence, digest: randomBytes(32) } }],
      ['commitment', { partnerParty: 1 }],
      ['commitment', { partnerParty: 0 }],
      ['share', { key: { ...key, keyId: 'other' } }],
      ['share', { key: { ...key, version: 2 } }],
      ['share', { key: present(hmac[1]) }],
      ['share', { key: { ...key, type: 'ed25519' } }],
      ['share', { key: { ...key, type: 'rsa' } }],
      ['fault', { scheme: 'ed25519' }],
      ['fault', { scheme: 'rsa_pss_sha256' }],
      ['ok', {}],
    ];
    const results = await leads(
      1,
      changes.map(([, change]) => ({ ...item, ...change })),
    );
    expect(results.map(reasonOf)).toEqual(changes.map(([reason]) => reason));
  });

  test('uses up no nonce, whatever slot its item names', async () => {
    const item = await leadItem(1, 2, hmac, 'hmac_sha256');
    const frost = await leadItem(1, 2, ed25519, 'ed25519');
    const { slot, serial } = frost;
    const results = await leads(1, [
      { ...item, slot, serial },
      { ...item, slot, serial, contribution: new Uint8Array() },
      frost,
    ]);
    expect(results.map(reasonOf)).toEqual(['ok', 'partner-share', 'ok']);
  });
});

describe('an imported RSA key', () => {
  function isRsaSigned(scheme: string, message: Uint8Array, signature: Uint8Array): boolean {
    const [, form, hash] = scheme.split('_');
    return verify(
      hash,
      message,
      form === 'pss'
        ? {
            key: rsaPair.publicKey,
            padding: constants.RSA_PKCS1_PSS_PADDING,
            saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
          }
        : { key: rsaPair.publicKey, padding: constants.RSA_PKCS1_PADDING },
      signature,
    );
  }

  test.each(PAIRS)('party %d leads and party %d helps: signatures verify', async (...pair) => {
    for (const scheme of ['rsa_pkcs1_sha256', 'rsa_pss_sha512'] as const) {
      const item = await leadItem(...pair, rsa, scheme);
      const [result] = await leads(pair[0], [item]);
      if (!result?.ok) throw new Error(reasonOf(result));
      expect(result.signature).toHaveLength(256);
      expect(isRsaSigned(scheme, item.message, result.signature)).toBe(true);
    }
  });

  test('with a wrong contribution signs nothing, and names the partner', async () => {
    const item = await leadItem(2, 3, rsa, 'rsa_pss_sha256');
    const { contribution } = item;
    // salt with its length, 4 + 32 bytes, then the partial with its length
    const wrong = [
      flipAt(contribution, 4),
      flipAt(contribution, 4 + 32 + 4 + 10),
      flipAt(contribution, 0),
      contribution.subarray(1),
      contribution.subarray(0, -1),
      Buffer.concat([contribution, Buffer.alloc(1)]),
      new Uint8Array(),
    ];
    const results = await leads(
      2,
      wrong.map((bytes) => ({ ...item, contribution: bytes })),
    );
    expect(results).toEqual(wrong.map(() => ({ ok: false, reason: 'partner-share', culprit: 3 })));
    const others = await leads(2, [
      { ...item, message: randomBytes(5) },
      { ...item, scheme: 'rsa_pkcs1_sha256' },
      item,
    ]);
    expect(others.map(reasonOf)).toEqual(['partner-share', 'partner-share', 'ok']);
  });

  test('is refused under another public key, scheme or id', async () => {
    const item = await leadItem(1, 2, rsa, 'rsa_pkcs1_sha256');
    const other = rsaTestKey('2048-another').publicKey;
    const publicKey = other.export({ format: 'der', type: 'spki' });
    const results = await leads(1, [
      { ...item, key: { ...item.key, publicKey } },
      { ...item, key: { ...item.key, keyId: 'other' } },
      { ...item, key: present(rsa[1]) },
      { ...item, scheme: 'hmac_sha256' },
    ]);
    expect(results.map(reasonOf)).toEqual(['share', 'share', 'share', 'fault']);
  });

  test('is refused under a public key that its thread has signed under before', async () => {
    const other = rsaTestKey('2048-another');
    const publicKey = other.publicKey.export({ format: 'der', type: 'spki' });
    const others = await importKey('other-rsa-key', 'rsa', splitRsa(other.privateKey), publicKey);
    const item = await leadItem(1, 2, others, 'rsa_pkcs1_sha256');
    const renamed = { ...item, key: { ...item.key, publicKey: rsaSpki } };
    const known = await leadItem(1, 2, rsa, 'rsa_pkcs1_sha256');
    expect((await leads(1, [known, item, renamed])).map(reasonOf)).toEqual(['ok', 'ok', 'share']);
  });
});

test('a batch of all types comes back in order, as partner and as lead', async () => {
  const keys = [rsa, ed25519, hmac, rsa, hmac, ed25519];
  const schemes = { ed25519: 'ed25519', rsa: 'rsa_pkcs1_sha256', hmac: 'hmac_sha256' } as const;
  const { leadItems, partnerResults } = await parties.prepare(1, 3, keys, {
    change: (item) => ({ ...item, scheme: schemes[item.key.type] }),
  });
  const lengths = partnerResults.map((result) => result.ok && result.contribution.length);
  expect(lengths).toEqual([4 + 4 + 256, 96, 96, 4 + 4 + 256, 96, 96]);
  const results = await leads(1, leadItems);
  expect(results.map((result) => result.ok && result.signature.length)).toEqual([
    256, 64, 32, 256, 32, 64,
  ]);
  for (const [index, result] of results.entries()) {
    const { message, key } = present(leadItems[index]);
    if (!result.ok) throw new Error(result.reason);
    const { signature } = result;
    if (key.type === 'hmac') {
      expect(Buffer.from(signature)).toEqual(createHmac('sha256', SECRET).update(message).digest());
    } else if (key.type === 'rsa') {
      expect(verify('sha256', message, rsaPair.publicKey, signature)).toBe(true);
    } else expect(isSigned(message, signature, key.publicKey)).toBe(true);
  }
  expect(await parties.poolsOf(1).partner([])).toEqual([]);
  expect(await leads(1, [])).toEqual([]);
});

/** What each party would have in stock of the RSA key, had it been made ahead. */
async function stocked(stockId: string): Promise<SealedShare[]> {
  return Promise.all(
    splitRsa(rsaPair.privateKey).map(async ({ party, common, part }) => {
      if (common.type !== 'rsa' || part.type !== 'rsa') throw new Error('not an RSA key');
      const [own, next] = part.parts;
      const secret = encodeRsaKeyShare({ ...common, party, own, next });
      const form = { party, scheme: RSA_SHARE_SCHEME, version: 1 };
      const kek = openFileKek(parties.siblingOptionsOf(party).kekFile);
      return sealShare({ kek, aad: { purpose: 'stock share', keyId: stockId, ...form }, secret });
    }),
  );
}

describe('a share sealed anew for a key of the ledger', () => {
  const to = { keyId: 'ledger-key', version: 1 };
  const reseal = (party: Party, from: SealedShare & { keyId: string }) =>
    parties.poolsOf(party).reseal({ from: { version: 1, ...from }, to, modulusBits: 2048 });

  test('signs as that key, and no more as the one in stock', async () => {
    const inStock = await stocked('stock-id');
    const resealed = await Promise.all(
      inStock.map(async (share, index) => {
        const made = await reseal((index + 1) as Party, { keyId: 'stock-id', ...share });
        return storedAs('ledger-key', 'rsa', made);
      }),
    );
    const item = await leadItem(1, 2, resealed, 'rsa_pkcs1_sha256');
    const inStockYet = { ...item.key, ...present(inStock[0]), keyId: 'stock-id' };
    const asBefore = { ...item, key: { ...item.key, keyId: 'stock-id' } };
    const results = await leads(1, [item, asBefore, { ...item, key: inStockYet }]);
    expect(results.map(reasonOf)).toEqual(['ok', 'share', 'share']);
  });

  test('is none of a key of the ledger: that one would come back as another', async () => {
    for (const party of [1, 2, 3] as const) {
      const { keyId, wrappedDek, sealed } = present(rsa[party - 1]);
      await expect(reseal(party, { keyId, wrappedDek, sealed })).rejects.toThrow('does not open');
    }
  });
});

describe('a trial signature', () => {
  const trial = { keyId: 'some-key', session: 'session-1' };

  interface TrialChange {
    readonly contribution?: (bytes: Uint8Array) => Uint8Array;
    readonly leadTrial?: typeof trial;
  }

  async function tryPair(
    lead: Party,
    partner: Party,
    keys: KeyOfParties,
    scheme: SignatureScheme,
    { contribution = (bytes) => bytes, leadTrial = trial }: TrialChange = {},
  ): Promise<boolean> {
    const slots = parties.freshSlots(1);
    const commitment = await parties.poolsOf(lead).commit(slots);
    const isEd25519 = present(keys[0]).type === 'ed25519';
    const given = await parties.poolsOf(partner).contributeToTrial({
      key: present(keys[partner - 1]),
      scheme,
      trial,
      leadParty: lead,
      leadCommitment: isEd25519 ? commitment : new Uint8Array(),
    });
    return parties.poolsOf(lead).leadTrial({
      key: present(keys[lead - 1]),
      scheme,
      trial: leadTrial,
      partnerParty: partner,
      contribution: contribution(present(given)),
      ...present(slots[0]),
    });
  }

  const cases = () =>
    [
      [ed25519, 'ed25519'],
      [rsa, 'rsa_pss_sha256'],
    ] as const;

  test('verifies for each pair and type', async () => {
    for (const [keys, scheme] of cases()) {
      for (const pair of PAIRS) expect(await tryPair(...pair, keys, scheme)).toBe(true);
    }
  });

  test('does not when the partner gives a wrong contribution', async () => {
    for (const [keys, scheme] of cases()) {
      const contribution = (bytes: Uint8Array) => flipAt(bytes, bytes.length - 8);
      expect(await tryPair(1, 2, keys, scheme, { contribution })).toBe(false);
    }
  });

  test('does not when the two parts are of different keys', async () => {
    const pair = rsaTestKey('2048-another');
    const spki = pair.publicKey.export({ format: 'der', type: 'spki' });
    const other = await importKey('rsa-key', 'rsa', splitRsa(pair.privateKey), spki);
    const mixed = [present(rsa[0]), present(other[1]), present(rsa[2])];
    expect(await tryPair(1, 2, mixed, 'rsa_pss_sha256')).toBe(false);
    expect(await tryPair(2, 3, mixed, 'rsa_pss_sha256')).toBe(false);
    expect(await tryPair(1, 3, mixed, 'rsa_pss_sha256')).toBe(true);
  });

  test('is not made of an HMAC secret: no party is given a part, and none joins them', async () => {
    await expect(tryPair(1, 2, hmac, 'hmac_sha256')).rejects.toThrow('no trial signature');
    const part = (await leadItem(1, 2, hmac, 'hmac_sha256')).contribution;
    const joins = parties.poolsOf(1).leadTrial({
      key: present(hmac[0]),
      scheme: 'hmac_sha256',
      trial,
      partnerParty: 2,
      contribution: part,
      slot: 0,
      serial: 0,
    });
    await expect(joins).rejects.toThrow('no trial signature');
  });

  test('is of one key and one run: the other party must mean the same', async () => {
    for (const leadTrial of [
      { ...trial, session: 'session-2' },
      { ...trial, keyId: 'another-key' },
    ]) {
      expect(await tryPair(1, 2, ed25519, 'ed25519', { leadTrial })).toBe(false);
      expect(await tryPair(1, 2, rsa, 'rsa_pkcs1_sha256', { leadTrial })).toBe(false);
    }
  });

  test('rejects when that cannot be told: the own share, or nonces that are gone', async () => {
    const renamed = ed25519.map((key) => ({ ...key, keyId: 'other' }));
    await expect(tryPair(1, 2, renamed, 'ed25519')).rejects.toThrow('not signed: share');
    const [slot] = parties.freshSlots(1);
    const input = { key: present(ed25519[0]), scheme: 'ed25519', trial, partnerParty: 2 } as const;
    const gone = parties
      .poolsOf(1)
      .leadTrial({ ...input, contribution: new Uint8Array(96), ...present(slot) });
    await expect(gone).rejects.toThrow('nonce-gone');
    const alone = parties
      .poolsOf(1)
      .leadTrial({ ...input, partnerParty: 1, contribution: new Uint8Array(96), ...present(slot) });
    await expect(alone).rejects.toThrow('commitment');
  });

  test('uses up its nonces', async () => {
    const slots = parties.freshSlots(1);
    await parties.poolsOf(1).commit(slots);
    const input = {
      key: present(ed25519[0]),
      scheme: 'ed25519',
      trial,
      partnerParty: 2,
      contribution: new Uint8Array(96),
      ...present(slots[0]),
    } as const;
    await expect(parties.poolsOf(1).leadTrial(input)).rejects.toThrow('commitment');
    await expect(parties.poolsOf(1).leadTrial(input)).rejects.toThrow('nonce-gone');
  });

  test("is over a text of its own: a partner's contribution to it signs no request", async () => {
    for (const [keys, scheme] of cases()) {
      const item = await leadItem(1, 2, keys, scheme);
      const slots = parties.freshSlots(1);
      const commitment = await parties.poolsOf(1).commit(slots);
      const contribution = await parties.poolsOf(2).contributeToTrial({
        key: present(keys[1]),
        scheme,
        trial,
        leadParty: 1,
        leadCommitment: present(keys[0]).type === 'ed25519' ? commitment : new Uint8Array(),
      });
      const other = { ...item, contribution: present(contribution), ...present(slots[0]) };
      expect(reasonOf((await leads(1, [other]))[0])).toBe('partner-share');
    }
  });
});
