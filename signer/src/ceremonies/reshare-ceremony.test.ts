/** New shares of existing keys, at three parties with real threads. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PartyNumber } from '@countersign/core/parties.js';
import { importInfo } from '@countersign/custody/import-package.js';
import { startReplica } from '@countersign/runtime/jobs/replica.js';
import type { Key } from '@countersign/vault/state/state.js';
import { rsaTestKey } from '../../../test/support/rsa-test-keys.js';
import {
  sealPackage,
  splitHmac,
  splitRsa,
  type SplitSecret,
} from '../../../test/support/split-secrets.js';
import {
  openThreadParties,
  PAIRS,
  storedAs,
  type ThreadParties,
} from '../../../test/support/thread-parties.js';
import type { CompletedShare, StoredKey } from '../threads/thread-tasks.js';
import type { ThreadPools } from '../threads/thread-pools.js';
import { createCeremonyInbox, type CeremonyInbox } from './ceremony-inbox.js';
import type { CeremonyRun } from './ceremony-run.js';
import { runReshare } from './reshare-ceremony.js';

const PARTIES = [1, 2, 3] as const;
const REPLICAS = PARTIES.map((party) => startReplica(party, 'a'));
const GENESIS = 'ab'.repeat(32);

/** For the others, once a run has failed at one party. */
const GRACE_MS = 1_000;

let parties: ThreadParties;
let count = 0;

beforeAll(async () => {
  parties = await openThreadParties();
}, 60_000);
afterAll(() => parties.close());

/** A key as its parties hold it: the share of party i at index i − 1. */
interface HeldKey {
  readonly key: Key;
  readonly shares: readonly StoredKey[];
}

type Dealers = readonly [PartyNumber, PartyNumber];
/** Changes, drops or keeps what is sent. */
type Tamper = (message: {
  readonly from: PartyNumber;
  readonly to: PartyNumber;
  readonly tag: string;
  readonly payload: Uint8Array;
}) => Uint8Array;

interface Resharing {
  readonly dealers: Dealers;
  readonly tamper?: Tamper;
}

/** How it ends at each party. */
async function reshareSettled(
  { key, shares }: HeldKey,
  { dealers, tamper = ({ payload }) => payload }: Resharing,
) {
  count += 1;
  const session = `session ${count}`;
  const version = shares[dealers[0] - 1]!.version + 1;
  const inboxes = PARTIES.map((party) => createCeremonyInbox(party));
  let endRun: () => void = () => undefined;
  const over = new Promise<never>((_, reject) => {
    endRun = () => reject(new Error('the run is over'));
  });
  over.catch(() => undefined);
  const runOf = (party: PartyNumber): CeremonyRun => ({
    self: REPLICAS[party - 1]!,
    session,
    keyId: key.id,
    replicas: REPLICAS,
    stockId: '',
    inbox: untilOver(inboxes[party - 1]!, over),
    signal: new AbortController().signal,
    send: async (to, tag, payload) => {
      inboxes[to - 1]!.put(tag, party, tamper({ from: party, to, tag, payload }));
    },
  });
  return Promise.allSettled(
    PARTIES.map((party) => {
      const own = parties.poolsOf(party);
      const lender = { lend: (wanted: number) => lend(own, wanted) };
      const old = dealers.includes(party) ? shares[party - 1] : undefined;
      const wanted = { key, dealers, old, version };
      const end = runReshare({ threads: own, lender }, runOf(party), wanted);
      // the others see for themselves what they can, and need not wait for what does not come
      end.catch(() => setTimeout(endRun, GRACE_MS));
      return end;
    }),
  );
}

function untilOver(inbox: CeremonyInbox, over: Promise<never>): CeremonyInbox {
  return {
    ...inbox,
    receive: (tag, from) => Promise.race([inbox.receive(tag, from), over]),
    collect: (tag) => Promise.race([inbox.collect(tag), over]),
  };
}

async function lend(pools: ThreadPools, wanted: number) {
  const slots = parties.freshSlots(wanted);
  const commitments = await pools.commit(slots);
  return slots.map((slot, at) => ({
    ...slot,
    commitment: commitments.slice(at * 64, (at + 1) * 64),
  }));
}

async function reshare(held: HeldKey, resharing: Resharing): Promise<HeldKey> {
  const ends = await reshareSettled(held, resharing);
  const version = held.shares[resharing.dealers[0] - 1]!.version + 1;
  const shares = ends.map((end) => {
    if (end.status === 'rejected') throw end.reason;
    return { ...storedAs(held.key.id, held.key.type, end.value), version };
  });
  return { key: held.key, shares };
}

function heldAs(key: Partial<Key> & Pick<Key, 'type'>, shares: readonly CompletedShare[]): HeldKey {
  count += 1;
  const id = `key ${count}`;
  const publicKey = Buffer.from(shares[0]!.publicKey).toString('base64');
  return {
    key: { id, publicKey, ...key } as Key,
    shares: shares.map((share) => storedAs(id, key.type, share)),
  };
}

async function generated(): Promise<HeldKey> {
  const keyId = `key ${count + 1}`;
  const shares = await parties.generate(`generation of ${keyId}`, keyId);
  return heldAs({ type: 'ed25519', scheme: 'ed25519' }, shares);
}

async function imported(
  key: Partial<Key> & Pick<Key, 'type'>,
  split: SplitSecret,
  publicKey: Uint8Array,
): Promise<HeldKey> {
  const keyId = `key ${count + 1}`;
  const shares = await Promise.all(
    parties.pools.map(async (pool, at) => {
      const recipient = await pool.makeRecipient('recipient');
      const { type } = key;
      const context = { genesisHash: GENESIS, party: pool.party, userId: 'u', type };
      const opened = await pool.openImport({
        recipient,
        info: importInfo(context),
        sealedPart: await sealPackage(split[at]!, recipient.publicKey, context),
        keyId,
        version: 1,
        type,
        publicKey,
      });
      if (!opened.ok) throw new Error(opened.reason);
      return opened;
    }),
  );
  return heldAs(key, shares);
}

const rsa = rsaTestKey('2048');
const rsaSpki = rsa.publicKey.export({ format: 'der', type: 'spki' });
const importedRsa = () =>
  imported({ type: 'rsa', scheme: 'rsa_pkcs1_sha256' }, splitRsa(rsa.privateKey), rsaSpki);
const importedHmac = (secret: Uint8Array) =>
  imported({ type: 'hmac', scheme: 'hmac_sha256' }, splitHmac(secret), new Uint8Array());

/** Which pairs sign with it, as `lead,partner`. */
async function signingPairs({ key, shares }: HeldKey): Promise<string[]> {
  const signing: string[] = [];
  for (const [lead, partner] of PAIRS) {
    const { leadItems } = await parties.prepare(lead, partner, [shares], { scheme: key.scheme! });
    const [result] = await parties.poolsOf(lead).lead(leadItems);
    if (result!.ok) signing.push(`${lead},${partner}`);
  }
  return signing;
}

const ALL_PAIRS = PAIRS.map(String);
const DEALERS: readonly Dealers[] = [
  [1, 2],
  [3, 1],
  [2, 3],
];

describe.each<[string, () => Promise<HeldKey>]>([
  ['an Ed25519 key', generated],
  ['an imported RSA key', importedRsa],
  ['an HMAC secret', () => importedHmac(randomBytes(40))],
])('%s', (_what, make) => {
  it.each(DEALERS)(
    'gets new shares from parties %d and %d, with which each pair signs',
    async (...dealers) => {
      const held = await make();
      const renewed = await reshare(held, { dealers });
      expect(renewed.shares.map(({ publicKey }) => Buffer.from(publicKey))).toEqual(
        held.shares.map(({ publicKey }) => Buffer.from(publicKey)),
      );
      expect(await signingPairs(renewed)).toEqual(ALL_PAIRS);
    },
  );

  it('does not sign with an old share and a new one', async () => {
    const held = await make();
    const { shares } = await reshare(held, { dealers: [1, 2] });
    for (const stale of PARTIES) {
      const mixed = shares.map((share, at) => (at === stale - 1 ? held.shares[at]! : share));
      const pairsOfNew = PAIRS.filter((pair) => !pair.includes(stale)).map(String);
      expect(await signingPairs({ key: held.key, shares: mixed })).toEqual(pairsOfNew);
    }
  });
});

type Message = Parameters<Tamper>[0];

/** Party 2 lies in one kind of message, to one party or to both. */
const lies =
  (tag: string, to: PartyNumber | 'both', lie: (payload: Uint8Array) => Uint8Array): Tamper =>
  (message: Message) =>
    message.from === 2 && message.tag === tag && (to === 'both' || message.to === to)
      ? lie(message.payload)
      : message.payload;
const changed = (payload: Uint8Array) =>
  payload.map((byte, at) => (at === payload.length - 1 ? byte ^ 1 : byte));

describe.each<[string, () => Promise<HeldKey>]>([
  ['an Ed25519 key', generated],
  ['an imported RSA key', importedRsa],
])('party 2 deals new shares of %s and', (_what, make) => {
  let held: HeldKey;
  beforeAll(async () => {
    held = await make();
  }, 30_000);

  async function found(tamper: Tamper, at: PartyNumber) {
    const ends = await reshareSettled(held, { dealers: [1, 2], tamper });
    const end = ends[at - 1]!;
    // whoever it lied to, nobody ends with a share that could be attested by all three
    expect(ends.some(({ status }) => status === 'rejected')).toBe(true);
    return end.status === 'rejected' ? (end.reason as unknown) : 'a share';
  }

  it.each<[string, string, (payload: Uint8Array) => Uint8Array]>([
    ['deals something else than it said', 'word', changed],
    ['deals a piece that does not fit', 'deal', changed],
    ['sends no deal', 'deal', () => new Uint8Array(3)],
  ])(
    '%s: whoever it lied to names it',
    async (_lie, tag, lie) => {
      for (const at of [1, 3] as const) {
        const error = await found(lies(tag, at, lie), at);
        expect(error).toMatchObject({ name: 'ResharingError', party: 2 });
      }
    },
    60_000,
  );

  it('says something else of what was dealt: it is found, and could be the other dealer', async () => {
    const other = (payload: Uint8Array) => payload.map((byte, at) => (at === 0 ? byte ^ 1 : byte));
    expect(await found(lies('statement', 3, other), 3)).toMatchObject({
      name: 'ResharingError',
      message: 'this party and party 2 were not dealt the same, it says',
      party: undefined,
    });
  }, 60_000);

  it('makes no trial signature with what it took: the lead of the trial says so', async () => {
    const tamper = lies('trial-contribution', 1, changed);
    expect(await found(tamper, 1)).toMatchObject({
      message: 'its part and that of party 2 do not sign together',
      party: 2,
    });
  }, 60_000);

  it('says in the end that it took another share', async () => {
    expect(await found(lies('trial-end', 'both', changed), 1)).toMatchObject({
      name: 'ResharingError',
      message: 'this party and party 2 took shares of different keys',
    });
  }, 60_000);

  it('says in the end that its trial failed: nobody has a share', async () => {
    const tamper = lies('trial-end', 'both', () => new Uint8Array());
    expect(await found(tamper, 3)).toMatchObject({ message: 'a trial of party 2 failed' });
  }, 60_000);
});

describe('a resharing', () => {
  it('is followed by others, each from the shares of the one before', async () => {
    let held = await importedRsa();
    for (const dealers of DEALERS) held = await reshare(held, { dealers });
    expect(held.shares.map(({ version }) => version)).toEqual([4, 4, 4]);
    expect(await signingPairs(held)).toEqual(ALL_PAIRS);
  }, 60_000);

  it('of a dealer that has the share before the last one fails, and spoils nothing', async () => {
    const first = await generated();
    const second = await reshare(first, { dealers: [1, 2] });
    const shares = [second.shares[0]!, first.shares[1]!, second.shares[2]!];
    const ends = await reshareSettled({ key: first.key, shares }, { dealers: [1, 2] });
    expect(ends[0]).toMatchObject({ reason: { name: 'ResharingError', party: 2 } });
    expect(ends[2]).toMatchObject({
      reason: { message: 'what the dealers dealt does not add up to the key' },
    });
    expect(await signingPairs(second)).toEqual(ALL_PAIRS);
  }, 60_000);

  it('tells nobody but the third party a part of an HMAC secret', async () => {
    const heard: Message[] = [];
    const tamper: Tamper = (message) => {
      heard.push(message);
      return message.payload;
    };
    await reshareSettled(await importedHmac(randomBytes(40)), { dealers: [1, 2], tamper });
    const long = heard.filter(({ payload }) => payload.length > 200);
    expect(long.map(({ from, to, tag }) => `${tag} ${from} ${to}`).toSorted()).toEqual([
      'deal 1 3',
      'deal 2 3',
    ]);
    expect(heard.some(({ tag }) => tag.startsWith('trial-con'))).toBe(false);
  }, 60_000);
});
