import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, copyFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ed25519ph } from '@noble/curves/ed25519.js';
import {
  BATCH,
  callerPublicKey,
  isSigned,
  openThreadParties,
  PAIRS,
  present,
  request,
  storedAs,
  type KeyOfParties,
  type Party,
  type ThreadParties,
} from '../../../test/support/thread-parties.js';
import type { RoundOnePackages } from './dkg-packages.js';
import { completedStatement } from './lone-statement.js';
import type { CompletedShare, LeadItem, PartnerItem } from './thread-tasks.js';
import type { ThreadPools } from './thread-pools.js';

let parties: ThreadParties;
let keys: CompletedShare[];
let stored: KeyOfParties;

function poolsOf(party: Party): ThreadPools {
  return parties.poolsOf(party);
}

function keyOf(party: Party): CompletedShare {
  return present(keys[party - 1]);
}

function storedKey(party: Party) {
  return present(stored[party - 1]);
}

/** Asks again until it is so. */
async function untilTaken(isTaken: () => Promise<boolean>): Promise<void> {
  while (!(await isTaken())) await setTimeout(20);
}

function flip(bytes: Uint8Array, position = 20): Uint8Array {
  return Uint8Array.from(bytes, (byte, at) => (at === position ? byte ^ 1 : byte));
}

/** Items for so many requests to the one key. */
function prepare(
  lead: Party,
  partner: Party,
  count: number,
  change: (item: PartnerItem, index: number) => PartnerItem = (item) => item,
) {
  const same = Array.from({ length: count }, () => stored);
  return parties.prepare(lead, partner, same, { change });
}

beforeAll(async () => {
  parties = await openThreadParties();
  keys = await parties.generate('setup', 'key-1');
  stored = keys.map((share) => storedAs('key-1', 'ed25519', share));
}, 30_000);

afterAll(() => parties.close());

describe('key generation between three parties', () => {
  test('ends with one key and three sealed shares', () => {
    const [first, second, third] = keys;
    for (const other of [second, third]) {
      expect(other?.publicKey).toEqual(first?.publicKey);
      expect(other?.transcriptHash).toEqual(first?.transcriptHash);
    }
    // 12 nonce + 162 share + 16 tag; 12 nonce + 32 key + 16 tag.
    expect(keys.map((key) => [key.sealed.length, key.wrappedDek.length])).toEqual(
      keys.map(() => [190, 60]),
    );
  });

  test('a session exists once, in one thread, and ends with a failure', async () => {
    const pool = poolsOf(1);
    const packages = await parties.roundOne('twice');
    await expect(pool.dkgRound1({ sessionId: 'twice' })).rejects.toThrow('already under way');
    const swapped: RoundOnePackages = [packages[0], packages[2], packages[1]];
    const wrong = pool.dkgRound2({ sessionId: 'twice', roundOnePackages: swapped });
    await expect(wrong).rejects.toThrow('not a package of participant 2');
    const late = pool.dkgRound2({ sessionId: 'twice', roundOnePackages: packages });
    await expect(late).rejects.toThrow('not under way');
  });
});

describe('signing', () => {
  test.each(PAIRS)(
    'party %d leads and party %d helps: a batch of 32 signatures verifies',
    async (lead, partner) => {
      const { leadItems } = await prepare(lead, partner, BATCH);
      const results = await poolsOf(lead).lead(leadItems);
      expect(results).toHaveLength(BATCH);
      results.forEach((result, index) => {
        const item = present(leadItems[index]);
        if (!result.ok) throw new Error(result.reason);
        expect(isSigned(item.message, result.signature, keyOf(1).publicKey)).toBe(true);
      });
    },
  );

  test('what is said of an item is signed with it, and of what is not signed nothing is', async () => {
    const { leadItems } = await prepare(1, 2, 2);
    const [head, before, after] = [randomBytes(40), randomBytes(90), randomBytes(32)];
    const statement = { head, before, after };
    const pool = poolsOf(1);
    const [good, wrong] = await pool.lead(
      leadItems.map((item, index) => ({
        ...item,
        statement,
        ...(index === 1 && { contribution: new Uint8Array(item.contribution.length) }),
      })),
    );
    if (!good?.ok) throw new Error('not signed');
    const message = completedStatement(statement, good.signature);
    expect(isSigned(message, present(good.said), pool.identityPublicKey)).toBe(true);
    expect(wrong).toEqual({ ok: false, reason: 'commitment' });
  });

  test('what a partner says of an item is signed with its contribution', async () => {
    const { partnerItems } = await prepare(1, 2, 2);
    const statement = randomBytes(120);
    const pool = poolsOf(2);
    const [good, wrong] = await pool.partner(
      partnerItems.map((item, index) => ({
        ...item,
        statement,
        ...(index === 1 && { leadCommitment: new Uint8Array(64) }),
      })),
    );
    if (!good?.ok) throw new Error('nothing contributed');
    expect(isSigned(statement, present(good.said), pool.identityPublicKey)).toBe(true);
    expect(wrong).toEqual({ ok: false, reason: 'commitment' });
  });

  test('a nonce slot that was used is refused, and its repeat signs nothing', async () => {
    const { leadItems } = await prepare(1, 2, 2);
    const first = await poolsOf(1).lead(leadItems);
    expect(first.map((result) => result.ok)).toEqual([true, true]);
    const again = await poolsOf(1).lead(leadItems);
    expect(again).toEqual(leadItems.map(() => ({ ok: false, reason: 'nonce-gone' })));
    await expect(
      poolsOf(1).commit([
        { slot: present(leadItems[0]).slot, serial: present(leadItems[0]).serial },
      ]),
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
      // own commitment, 64 bytes, then the signature share
      const contribution = Uint8Array.from(item.contribution);
      if (index === 1) contribution[64 + 5] = (contribution[64 + 5] ?? 0) ^ 1;
      if (index === 2) contribution.fill(0xff, 64);
      return { ...item, contribution };
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
          evidence: {
            ...item.evidence,
            callerKey: { kind: 'ed25519', publicKey: new Uint8Array(32) },
          },
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
      ['share', (item) => ({ ...item, key: { ...item.key, publicKey: callerPublicKey } })],
      ['share', (item) => ({ ...item, key: { ...item.key, type: 'rsa' } })],
      ['share', (item) => ({ ...item, key: { ...item.key, type: 'hmac' } })],
      ['fault', (item) => ({ ...item, scheme: 'hmac_sha256' })],
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
      [
        'commitment',
        (item) => ({
          ...item,
          contribution: Buffer.concat([Buffer.alloc(64), item.contribution.subarray(64)]),
        }),
      ],
      ['commitment', (item) => ({ ...item, contribution: item.contribution.subarray(1) })],
      ['commitment', (item) => ({ ...item, contribution: new Uint8Array() })],
      ['commitment', (item) => ({ ...item, partnerParty: 1 })],
      ['commitment', (item) => ({ ...item, partnerParty: 4 })],
      ['share', (item) => ({ ...item, key: { ...item.key, keyId: 'key-2' } })],
      ['share', (item) => ({ ...item, key: { ...item.key, publicKey: callerPublicKey } })],
      ['nonce-gone', (item) => ({ ...item, serial: item.serial + 1 })],
      ['partner-share', (item) => ({ ...item, message: randomBytes(4) })],
      ['fault', (item) => ({ ...item, slot: -1 })],
      ['fault', (item) => ({ ...item, scheme: 'rsa_pkcs1_sha256' })],
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
      changes.map((_change, index) => {
        const { slot, serial } = present(changed[index]);
        const isUntouched =
          slot !== present(leadItems[index]).slot || serial !== present(leadItems[index]).serial;
        return isUntouched ? 'ok' : 'nonce-gone';
      }),
    );
  });

  test("a share sealed for one party does not open at another's", async () => {
    const { partnerResults } = await prepare(1, 2, 1, (item) => ({ ...item, key: storedKey(3) }));
    expect(partnerResults).toEqual([{ ok: false, reason: 'share' }]);
  });

  test('what a partner cannot help with hurts no other item', async () => {
    const { partnerResults } = await prepare(1, 2, 2, (item, index) => ({
      ...item,
      leadCommitment: index === 0 ? item.leadCommitment : new Uint8Array(64),
    }));
    expect(partnerResults.map(({ ok }) => ok)).toEqual([true, false]);
    expect(partnerResults[1]).toEqual({ ok: false, reason: 'commitment' });
  });
});

describe('Ed25519ph', () => {
  const prehashed = (item: PartnerItem): PartnerItem => ({ ...item, scheme: 'ed25519ph' });

  test.each(PAIRS)(
    'party %d leads and party %d helps: signatures verify, as nothing else',
    async (lead, partner) => {
      const { leadItems } = await prepare(lead, partner, 4, prehashed);
      const results = await poolsOf(lead).lead(leadItems);
      const { publicKey } = keyOf(1);
      results.forEach((result, index) => {
        if (!result.ok) throw new Error(result.reason);
        const { message } = present(leadItems[index]);
        const { signature } = result;
        const prehash = createHash('sha512').update(message).digest();
        expect(ed25519ph.verify(signature, message, publicKey, { zip215: false })).toBe(true);
        expect(isSigned(message, signature, publicKey)).toBe(false);
        expect(isSigned(prehash, signature, publicKey)).toBe(false);
      });
    },
  );

  test('a pure signature is none of the prehashed message', async () => {
    const { leadItems } = await prepare(1, 2, 1);
    const [result] = await poolsOf(1).lead(leadItems);
    if (!result?.ok) throw new Error('not signed');
    const { message } = present(leadItems[0]);
    const options = { zip215: false };
    expect(ed25519ph.verify(result.signature, message, keyOf(1).publicKey, options)).toBe(false);
  });

  test('a lead and a partner of different schemes make no signature', async () => {
    const { leadItems } = await prepare(1, 2, 2, (item, index) =>
      index === 0 ? prehashed(item) : item,
    );
    const mixed = leadItems.map((item): LeadItem => ({
      ...item,
      scheme: item.scheme === 'ed25519' ? 'ed25519ph' : 'ed25519',
    }));
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

  test("signs a party's words between parts of a batch that was there before", async () => {
    const { leadItems } = await prepare(1, 2, BATCH);
    const pool = poolsOf(1);
    const ended: string[] = [];
    const batch = pool.lead(leadItems).then((results) => {
      ended.push('batch');
      return results;
    });
    await pool.signIdentity([randomBytes(32)]).then(() => ended.push('words'));
    expect((await batch).every(({ ok }) => ok)).toBe(true);
    expect(ended).toEqual(['words', 'batch']);
  });

  test('returns values that carry no memory but their own', async () => {
    const { partnerResults } = await prepare(1, 2, 1);
    const [result] = partnerResults;
    expect(result?.ok && result.contribution.buffer.byteLength).toBe(64 + 32);
    expect(keyOf(1).sealed.buffer.byteLength).toBe(keyOf(1).sealed.length);
  });

  test('does not start with a KEK that others may read, and the pools say why', async () => {
    const options = parties.optionsOf(1, 'open-');
    chmodSync(options.kekFile, 0o644);
    await expect(parties.openThreadPools(options)).rejects.toThrow('set it to 0600');
  });

  test('does not start with an identity key that lies open, or is of another party', async () => {
    const options = parties.optionsOf(1, 'open-key-');
    const open = { ...options, identityFile: parties.secretFile('open-seed') };
    await expect(parties.openThreadPools(open)).rejects.toThrow('expected 61 raw bytes');
    const { identityFile } = parties.optionsOf(2, 'other-');
    const other = parties.openThreadPools({ ...options, identityFile });
    await expect(other).rejects.toThrow('not the identity key of party 1');
  });

  test('for what takes long starts when it is asked for, or with its first task, and stays', async () => {
    const startedBy = async (open: (pools: ThreadPools) => Promise<unknown>) => {
      const pools = await parties.openThreadPools(parties.siblingOptionsOf(1));
      const slowThreads = () => pools.figures.find(({ pool }) => pool === 'slow')?.threads;
      try {
        const before = slowThreads();
        await open(pools);
        return [before, slowThreads()];
      } finally {
        await pools.close();
      }
    };
    expect(await startedBy((pools) => pools.openSlow())).toEqual([0, 1]);
    expect(await startedBy((pools) => pools.makeRecipient('recipient'))).toEqual([0, 1]);
    expect(await startedBy((pools) => pools.openExchangeKey())).toEqual([0, 0]);
  });

  test('for RSA start with the first signature, one for each core, and make those after it', async () => {
    const pools = await parties.openThreadPools(parties.siblingOptionsOf(1));
    const figuresOfRsa = () => present(pools.figures.find(({ pool }) => pool === 'rsa'));
    // a share that is none of an RSA key: who looked at it is what counts
    const key = { ...storedKey(1), type: 'rsa' as const };
    const item = { ...request(), key, scheme: 'rsa_pkcs1_sha256', leadParty: 2 } as const;
    const items = Array.from({ length: 40 }, () => ({ ...item, leadCommitment: new Uint8Array() }));
    try {
      await pools.openSlow();
      expect(figuresOfRsa()).toEqual({ pool: 'rsa', threads: 0, waiting: 0 });
      const refused = { ok: false, reason: 'share' };
      expect(await pools.partner(items)).toEqual(items.map(() => refused));
      const threads = Math.min(availableParallelism(), 4);
      expect(figuresOfRsa().threads).toBe(threads);
      await untilTaken(async () => {
        const signing = pools.partner(items);
        await Promise.resolve();
        await Promise.resolve();
        const isTaken = figuresOfRsa().waiting > 0;
        expect(await signing).toEqual(items.map(() => refused));
        return isTaken;
      });
    } finally {
      await pools.close();
    }
  });

  test('does not start later with keys that are other ones by then, and does no task', async () => {
    const options = parties.optionsOf(1, 'early-');
    const pools = await parties.openThreadPools(options);
    try {
      const later = parties.optionsOf(1, 'later-');
      copyFileSync(later.kekFile, options.kekFile);
      copyFileSync(later.identityFile, options.identityFile);
      const changed = "the party's keys changed while it started";
      await expect(pools.makeRecipient('recipient')).rejects.toThrow(changed);
      await expect(pools.openSlow()).rejects.toThrow(changed);
    } finally {
      await pools.close();
    }
  });

  test('gives its exchange key to the process, and to none that has the file of another', async () => {
    const options = parties.optionsOf(3, 'exchange-');
    const pool = await parties.openThreadPools(options);
    try {
      const key = await pool.openExchangeKey();
      expect(key).toHaveLength(32);
      expect(key.buffer.byteLength).toBe(32);
      const again = await pool.openExchangeKey();
      expect(again).toEqual(key);
      key.fill(0);
      expect(again).not.toEqual(key);
    } finally {
      await pool.close();
    }
    const swapped = { ...options, exchangeFile: options.identityFile };
    const wrong = await parties.openThreadPools(swapped);
    try {
      await expect(wrong.openExchangeKey()).rejects.toThrow('not the exchange key of party 3');
    } finally {
      await wrong.close();
    }
  });

  test('shares one nonce pool with its siblings', async () => {
    const options = parties.siblingOptionsOf(2);
    const pool = await parties.openThreadPools({ ...options, maxThreads: 2 });
    try {
      await pool.commit(Array.from({ length: BATCH }, (_, slot) => ({ slot, serial: 1 })));
      // No partner has contributed, so each item fails: what counts is who got the nonces.
      const items = Array.from({ length: BATCH }, (_, slot): LeadItem => ({
        ...request(),
        key: storedKey(2),
        scheme: 'ed25519',
        partnerParty: 1,
        contribution: new Uint8Array(96),
        slot,
        serial: 1,
      }));
      const [one, two] = await Promise.all([pool.lead(items), pool.lead(items)]);
      const gone = [present(one), present(two)].map((results) =>
        results.map((result) => !result.ok && result.reason === 'nonce-gone'),
      );
      const others = [...present(one), ...present(two)].filter(
        (result) => !result.ok && result.reason !== 'nonce-gone',
      );
      expect(others).toEqual(items.map(() => ({ ok: false, reason: 'commitment' })));
      items.forEach((_, slot) => {
        expect([gone[0]?.[slot], gone[1]?.[slot]].filter(Boolean)).toHaveLength(1);
      });
    } finally {
      await pool.close();
    }
  });
});
