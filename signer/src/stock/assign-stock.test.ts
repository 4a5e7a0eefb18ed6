import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { startReplica } from '@countersign/runtime/jobs/replica.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { SealedShare } from '../threads/sealed-share.js';
import type { CompletedShare, ResealInput } from '../threads/thread-tasks.js';
import { assignStock } from './assign-stock.js';
import { createCeremonyInbox } from '../ceremonies/ceremony-inbox.js';
import type { CeremonyRun } from '../ceremonies/ceremony-run.js';

const PARTIES = [1, 2, 3] as const;
const REPLICAS = PARTIES.map((party) => startReplica(party, 'a'));
const STOCKED: SealedShare = { wrappedDek: randomBytes(60), sealed: randomBytes(700) };
const FROM_SEAL: CompletedShare = {
  scheme: 'test',
  wrappedDek: randomBytes(60),
  sealed: randomBytes(700),
  publicKey: randomBytes(294),
  transcriptHash: randomBytes(32),
};

/** What happens at one party; all as it should be, at first. */
interface AtParty {
  taken: SealedShare | undefined;
  reseal: (input: ResealInput) => Promise<CompletedShare>;
  isAnothers: boolean;
}

let at: Readonly<Record<PartyNumber, AtParty>>;
let words: { readonly from: PartyNumber; readonly word: Uint8Array }[];

beforeEach(() => {
  const good = (): AtParty => ({
    taken: STOCKED,
    reseal: async () => FROM_SEAL,
    isAnothers: false,
  });
  at = { 1: good(), 2: good(), 3: good() };
  words = [];
});

afterEach(() => {
  jest.useRealTimers();
});

/** One run of all three parties, as each of them ends it: with a share, without one, or by an error. */
function assign(): Promise<(CompletedShare | undefined | string)[]> {
  const inboxes = PARTIES.map((party) => createCeremonyInbox(party));
  const runOf = (party: PartyNumber): CeremonyRun => ({
    self: REPLICAS[party - 1]!,
    session: 'session',
    keyId: 'key',
    replicas: REPLICAS,
    stockId: 'stocked',
    inbox: inboxes[party - 1]!,
    signal: new AbortController().signal,
    async send(to, tag, payload) {
      words.push({ from: party, word: payload });
      inboxes[to - 1]!.put(tag, party, payload);
    },
  });
  return Promise.all(
    PARTIES.map((party) => {
      const { taken, reseal } = at[party];
      const stock = { take: async (id: string) => (id === 'stocked' ? taken : undefined) };
      const deps = { stock, threads: { reseal }, isAnothersKey: () => at[party].isAnothers };
      return assignStock(deps, runOf(party), 2048).catch((error: unknown) => String(error));
    }),
  );
}

describe('a key made ahead', () => {
  it('is what its seal says, at all three parties', async () => {
    expect(await assign()).toEqual([FROM_SEAL, FROM_SEAL, FROM_SEAL]);
  });

  it('is bound to the key of the ledger, and to the size that was asked for', async () => {
    const inputs: ResealInput[] = [];
    at[1].reseal = async (input) => {
      inputs.push(input);
      return FROM_SEAL;
    };
    await assign();
    expect(inputs).toEqual([
      {
        from: { keyId: 'stocked', version: 1, ...STOCKED },
        to: { keyId: 'key', version: 1 },
        modulusBits: 2048,
      },
    ]);
  });

  it.each(PARTIES)('is nothing to anybody when party %d does not have it', async (party) => {
    at[party].taken = undefined;
    expect(await assign()).toEqual([undefined, undefined, undefined]);
  });

  it.each(PARTIES)(
    'is nothing to anybody when it was a key already, as party %d knows',
    async (party) => {
      at[party].isAnothers = true;
      expect(await assign()).toEqual([undefined, undefined, undefined]);
    },
  );

  it.each(PARTIES)(
    'is nothing to anybody when party %d has another under its id',
    async (party) => {
      at[party].reseal = async () => ({ ...FROM_SEAL, transcriptHash: randomBytes(32) });
      expect(await assign()).toEqual([undefined, undefined, undefined]);
    },
  );

  it('whose share does not open at one party is kept and attested by none', async () => {
    at[2].reseal = () => Promise.reject(new Error('the share does not open'));
    jest.useFakeTimers();
    const ended = assign();
    await jest.advanceTimersByTimeAsync(10_000);
    const [first, second, third] = await ended;
    expect(second).toBe('Error: the share does not open');
    for (const other of [first, third]) expect(other).toContain('party 2 did not come in time');
    expect(words.map(({ from }) => from)).not.toContain(2);
  });
});
