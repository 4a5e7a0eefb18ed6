import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PartyNumber } from '@countersign/core/parties.js';
import { splitHmac } from '../../../../test/support/split-secrets.js';
import type { FromParty, OwnDeal, ResharingContext } from '../../threads/resharing-tasks.js';
import type { StoredKey } from '../../threads/thread-tasks.js';
import {
  decodeHmacKeyShare,
  encodeHmacKeyShare,
  HMAC_SCHEME,
  partThatLacks,
} from '../maths/hmac-maths.js';
import { openFileKek } from '../kek/file-kek.js';
import { openShare, sealShare, type KeyEncryptionKey } from '../sealing/share-seal.js';
import { beginResharing, finishResharing, revealDeal, takeNewShare } from './reshare-part.js';
import { createResharings } from './resharings.js';
import type { ThreadState } from './thread-state.js';

const PARTIES = [1, 2, 3] as const;
const split = splitHmac(randomBytes(40));
const CONTEXT: ResharingContext = {
  session: 'session',
  keyId: 'key',
  version: 7,
  type: 'hmac',
  publicKey: new Uint8Array(),
  dealers: [1, 2],
};

let directory: string;
let kek: KeyEncryptionKey;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'countersign-reshare-'));
  const file = join(directory, 'kek');
  writeFileSync(file, randomBytes(32), { mode: 0o600 });
  kek = openFileKek(file);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function threadOf(party: PartyNumber): ThreadState {
  const resharings = createResharings({ limit: 4, lifetimeMs: 60_000 });
  return { kek, party, resharings } as ThreadState;
}

const aadOf = (party: PartyNumber, version: number) =>
  ({ purpose: 'key share', keyId: 'key', party, scheme: HMAC_SCHEME, version }) as const;

async function oldOf(party: PartyNumber): Promise<StoredKey> {
  const { common, part } = split[party - 1]!;
  if (common.type !== 'hmac' || part.type !== 'hmac') throw new Error('not an HMAC secret');
  const missingCommitment = common.partCommitments[partThatLacks(party) - 1]!;
  const secret = encodeHmacKeyShare({ party, parts: part.parts, missingCommitment });
  const sealed = await sealShare({ kek, aad: aadOf(party, 6), secret });
  return { keyId: 'key', version: 6, type: 'hmac', publicKey: new Uint8Array(), ...sealed };
}

const fromParty = (party: PartyNumber, bytes: Uint8Array): FromParty => ({ party, bytes });

function dealTo(to: PartyNumber, dealer: PartyNumber, { published, pieces }: OwnDeal) {
  return { dealer, published, piece: pieces.find(({ party }) => party === to)!.bytes };
}

async function begun(party: PartyNumber) {
  const thread = threadOf(party);
  const old = CONTEXT.dealers.includes(party) ? await oldOf(party) : undefined;
  return { thread, word: await beginResharing(thread, { context: CONTEXT, old }) };
}

/** A view of memory that others use takes the secrets of others along when it leaves the thread. */
const isAlone = (bytes: Uint8Array) => bytes.byteLength === bytes.buffer.byteLength;
const leaving = ({ published, pieces }: OwnDeal) => [
  published,
  ...pieces.map(({ bytes }) => bytes),
];

const SESSION = { session: 'session' };

describe('a resharing', () => {
  it('leaves shares that open as the new version of the key, and as no other', async () => {
    const [one, two, three] = [await begun(1), await begun(2), await begun(3)];
    expect(three.word).toBeUndefined();
    const words = [fromParty(1, one.word!), fromParty(2, two.word!)] as const;
    const dealOne = revealDeal(one.thread, { ...SESSION, words: [words[1]] })!;
    const dealTwo = revealDeal(two.thread, { ...SESSION, words: [words[0]] })!;
    expect(revealDeal(three.thread, { ...SESSION, words })).toBeUndefined();
    expect([one.word!, ...leaving(dealOne)].every(isAlone)).toBe(true);
    const deals = [
      [dealTo(1, 2, dealTwo)],
      [dealTo(2, 1, dealOne)],
      [dealTo(3, 2, dealTwo), dealTo(3, 1, dealOne)],
    ];
    const threads = [one.thread, two.thread, three.thread];
    const taken = threads.map((thread, at) => {
      const result = takeNewShare(thread, { ...SESSION, deals: deals[at]! });
      if (!result.ok) throw new Error(result.reason);
      return fromParty(PARTIES[at]!, result.statement);
    });
    const hashes = new Set<string>();
    for (const [at, thread] of threads.entries()) {
      const party = PARTIES[at]!;
      const statements = taken.filter((each) => each.party !== party);
      const result = await finishResharing(thread, { ...SESSION, statements });
      if (!result.ok) throw new Error(result.reason);
      expect([taken[at]!.bytes, result.transcriptHash].every(isAlone)).toBe(true);
      hashes.add(Buffer.from(result.transcriptHash).toString('hex'));
      const opened = await openShare({ kek, aad: aadOf(party, 7), ...result });
      expect(decodeHmacKeyShare(party, opened).parts[0]).toHaveLength(96);
      await expect(openShare({ kek, aad: aadOf(party, 6), ...result })).rejects.toThrow();
    }
    expect(hashes.size).toBe(1);
  });

  it('of which a dealer shows two parties different deals, each with its word, ends at both', async () => {
    // party 1 deals twice: once for party 2, once for party 3
    const [forTwo, forThree, two, three] = [
      await begun(1),
      await begun(1),
      await begun(2),
      await begun(3),
    ];
    const wordTwo = fromParty(2, two.word!);
    const dealForTwo = revealDeal(forTwo.thread, { ...SESSION, words: [wordTwo] })!;
    const dealForThree = revealDeal(forThree.thread, { ...SESSION, words: [wordTwo] })!;
    const dealTwo = revealDeal(two.thread, { ...SESSION, words: [fromParty(1, forTwo.word!)] })!;
    revealDeal(three.thread, { ...SESSION, words: [fromParty(1, forThree.word!), wordTwo] });
    const atTwo = takeNewShare(two.thread, { ...SESSION, deals: [dealTo(2, 1, dealForTwo)] });
    const atThree = takeNewShare(three.thread, {
      ...SESSION,
      deals: [dealTo(3, 1, dealForThree), dealTo(3, 2, dealTwo)],
    });
    if (!atTwo.ok || !atThree.ok) throw new Error('each sees nothing wrong by itself');
    const ends = await Promise.all([
      finishResharing(two.thread, {
        ...SESSION,
        statements: [fromParty(1, atTwo.statement), fromParty(3, atThree.statement)],
      }),
      finishResharing(three.thread, {
        ...SESSION,
        statements: [fromParty(1, atThree.statement), fromParty(2, atTwo.statement)],
      }),
    ]);
    expect(ends).toEqual(
      [3, 2].map((other) => ({
        ok: false,
        reason: `this party and party ${other} were not dealt the same, it says`,
        party: undefined,
      })),
    );
  });

  it('names a dealer whose deal is not the one of its word', async () => {
    const [one, another, two] = [await begun(1), await begun(1), await begun(2)];
    const deal = revealDeal(another.thread, { ...SESSION, words: [fromParty(2, two.word!)] })!;
    revealDeal(two.thread, { ...SESSION, words: [fromParty(1, one.word!)] });
    expect(takeNewShare(two.thread, { ...SESSION, deals: [dealTo(2, 1, deal)] })).toEqual({
      ok: false,
      reason: 'party 1 dealt something else than it said',
      party: 1,
    });
    // one try: who could go on would be probing the draw
    expect(() => takeNewShare(two.thread, { ...SESSION, deals: [] })).toThrow('not under way');
  });

  it('shows its deal once, and to no other words', async () => {
    const { thread } = await begun(1);
    const words = [fromParty(2, randomBytes(32))];
    revealDeal(thread, { ...SESSION, words });
    expect(() => revealDeal(thread, { ...SESSION, words })).toThrow('a deal is shown once');
    expect(() => revealDeal(thread, { ...SESSION, words })).toThrow('not under way');
  });

  it.each<[string, FromParty[]]>([
    ['no word', []],
    ['its own word', [fromParty(1, randomBytes(32))]],
    ['a word of a party that deals nothing', [fromParty(3, randomBytes(32))]],
    ['a short word', [fromParty(2, randomBytes(31))]],
    ['two words', [fromParty(2, randomBytes(32)), fromParty(2, randomBytes(32))]],
  ])('shows no deal for %s', async (_what, words) => {
    const { thread } = await begun(1);
    expect(() => revealDeal(thread, { ...SESSION, words })).toThrow('are needed');
  });

  it.each<[string, Partial<StoredKey> | undefined]>([
    ['no share', undefined],
    ['a share of another key', { keyId: 'another' }],
    ['a share of another version', { version: 5 }],
    ['a share that does not open', { sealed: randomBytes(300) }],
  ])('does not begin at a dealer with %s', async (_what, change) => {
    const old = change && { ...(await oldOf(1)), ...change };
    await expect(beginResharing(threadOf(1), { context: CONTEXT, old })).rejects.toThrow('of key');
  });

  it('is not finished before a share was taken, nor with one statement alone', async () => {
    const { thread } = await begun(3);
    const end = finishResharing(thread, { ...SESSION, statements: [] });
    await expect(end).rejects.toThrow('no new share was taken');
  });
});
