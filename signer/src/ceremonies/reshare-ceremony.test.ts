/** New shares of existing keys, at three parties with real threads. */
import { randomBytes, verify } from 'node:crypto';
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
  isSigned,
  openThreadParties,
  PAIRS,
  storedAs,
  type ThreadParties,
} from '../../../test/support/thread-parties.js';
import type { CompletedShare, StoredKey } from '../threads/thread-tasks.js';
import type { ThreadPools } from '../threads/thread-pools.js';
import { createCeremonyInbox } from './ceremony-inbox.js';
import type { CeremonyRun } from './ceremony-run.js';
import { runReshare } from './reshare-ceremony.js';

const PARTIES = [1, 2, 3] as const;
const REPLICAS = PARTIES.map((party) => startReplica(party, 'a'));
const GENESIS = 'ab'.repeat(32);

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
  readonly threads?: (party: PartyNumber, own: ThreadPools) => ThreadPools;
}

/** How it ends at each party. */
async function reshareSettled(
  { key, shares }: HeldKey,
  { dealers, tamper = ({ payload }) => payload, threads = (_, own) => own }: Resharing,
) {
  count += 1;
  const session = `session ${count}`;
  const version = shares[dealers[0] - 1]!.version + 1;
  const inboxes = PARTIES.map((party) => createCeremonyInbox(party));
  const runOf = (party: PartyNumber): CeremonyRun => ({
    self: REPLICAS[party - 1]!,
    session,
    keyId: key.id,
    replicas: REPLICAS,
    stockId: '',
    inbox: inboxes[party - 1]!,
    signal: new AbortController().signal,
    send: async (to, tag, payload) => {
      inboxes[to - 1]!.put(tag, party, tamper({ from: party, to, tag, payload }));
    },
  });
  return Promise.allSettled(
    PARTIES.map((party) => {
      const own = threads(party, parties.poolsOf(party));
      const lender = { lend: (wanted: number) => lend(own, wanted) };
      const old = dealers.includes(party) ? shares[party - 1] : undefined;
      const wanted = { key, dealers, old, version };
      return runReshare({ threads: own, lender }, runOf(party), wanted);
    }),
  );
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
