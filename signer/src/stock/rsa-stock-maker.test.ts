import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import type { PartyMessage } from '../channel/messages.js';
import { RsaGenerationError } from '../threads/generation-error.js';
import type { CompletedShare } from '../threads/thread-tasks.js';
import { createCeremonyInboxes } from '../ceremonies/ceremony-inbox.js';
import {
  encodeRunStart,
  type CeremonyRun,
  type RunCallerDeps,
} from '../ceremonies/ceremony-run.js';
import { openRsaStockMaker, STOCK_START, type RsaStockMaker } from './rsa-stock-maker.js';

type CeremonyMessage = Extract<PartyMessage, { kind: 'ceremony' }>;

const REPLICAS: Replica[] = ([1, 2, 3] as const).map((party) => startReplica(party, 'a'));
const SHARE = { scheme: 'test' } as unknown as CompletedShare;
/** How often party 1 looks whether a key is to be made. */
const LOOK_MS = 2_000;

interface Options {
  readonly target?: number;
  readonly delayMs?: number;
  /** Runs end when the test says so, or when they are aborted. */
  readonly held?: boolean;
  readonly findReplicas?: RunCallerDeps['findReplicas'];
}

const opened: RsaStockMaker[] = [];

/** One party's stock among fakes. */
function openParty(party: PartyNumber, options: Options = {}) {
  const { target = 2, delayMs = 0, held = false } = options;
  const runs: CeremonyRun[] = [];
  const sent: { to: Replica; message: CeremonyMessage }[] = [];
  const stock: string[] = [];
  const ends: (() => void)[] = [];
  const alarms: object[] = [];
  const state = {
    isIdle: true,
    isLaneFree: true,
    released: [] as string[],
    fault: undefined as Error | undefined,
    /** What the others say they have; undefined: the same as this party. */
    heldByOthers: undefined as readonly string[] | undefined,
    silent: undefined as PartyNumber | undefined,
  };
  const inboxes = createCeremonyInboxes(party, Date.now);
  const note = (entry: object) => void alarms.push(entry);

  function untilTold(signal: AbortSignal): Promise<CompletedShare> {
    return new Promise((resolve, reject) => {
      ends.push(() => resolve(SHARE));
      signal.addEventListener('abort', () => reject(new Error('overtaken')));
    });
  }

  const maker = openRsaStockMaker({
    self: REPLICAS[party - 1]!,
    target,
    delayMs,
    inboxes,
    store: {
      insert: async ({ stockId }) => void stock.push(stockId),
      list: async () => [...stock],
      take: async () => undefined,
      discard: async (stockIds) => {
        for (const stockId of stockIds) stock.splice(stock.indexOf(stockId), 1);
      },
    },
    lock: {
      acquire: async () => state.isLaneFree,
      release: async () => void state.released.push('lane'),
      close: async () => undefined,
    },
    logger: { info: note, warn: note, error: note } as unknown as Logger,
    alarms: { raise: note },
    now: Date.now,
    async send(to, message) {
      if (message.kind !== 'ceremony') return;
      const { tag, session, payload } = message;
      if (tag === STOCK_START) sent.push({ to, message });
      else if (to.party !== state.silent) {
        inboxes.put(session, tag, to.party, idsOr(payload, state.heldByOthers));
      }
    },
    findReplicas: options.findReplicas ?? (async () => REPLICAS),
    isIdle: () => state.isIdle,
    async generate(run, modulusBits) {
      expect(modulusBits).toBe(2048);
      runs.push(run);
      if (state.fault !== undefined) throw state.fault;
      return held ? untilTold(run.signal) : SHARE;
    },
  });
  opened.push(maker);
  return { maker, runs, sent, stock, ends, state, alarms };
}

function idsOr(payload: Uint8Array, ids: readonly string[] | undefined): Uint8Array {
  return ids === undefined ? payload : Buffer.from(ids.join());
}

function startOf(stockId: string, session = `session of ${stockId}`): CeremonyMessage {
  const payload = encodeRunStart({ replicas: REPLICAS, stockId, refresh: 0 });
  return { kind: 'ceremony', session, keyId: stockId, tag: STOCK_START, payload };
}

/** Between a run that failed and the next. */
const PAUSES_MS = [4, 8, 16, 32, 64, 128, 256, 300].map((seconds) => 1_000 * seconds);

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  for (const maker of opened.splice(0)) maker.stop();
  jest.useRealTimers();
});

describe('party 1', () => {
  it('makes as many keys as are wanted, one after the other, and no more', async () => {
    const { runs, sent, stock } = openParty(1, { target: 2 });
    await pass(LOOK_MS);
    expect(stock).toHaveLength(1);
    await pass(20 * LOOK_MS);
    expect(stock).toHaveLength(2);
    expect(new Set(stock).size).toBe(2);
    expect(runs.map(({ keyId }) => keyId)).toEqual(stock);
    // the two others are told of each
    expect(sent).toEqual(
      runs.flatMap(({ keyId, session }) =>
        REPLICAS.slice(1).map((to) => ({ to, message: startOf(keyId, session) })),
      ),
    );
  });

  it('makes another when one was taken', async () => {
    const { runs, stock } = openParty(1, { target: 1 });
    await pass(10 * LOOK_MS);
    expect(runs).toHaveLength(1);
    stock.pop();
    await pass(LOOK_MS);
    expect(runs).toHaveLength(2);
  });

  it('makes one at a time', async () => {
    const { runs, ends } = openParty(1, { held: true });
    await pass(20 * LOOK_MS);
    expect(runs).toHaveLength(1);
    ends[0]!();
    await pass(LOOK_MS);
    expect(runs).toHaveLength(2);
  });

  it('makes none while another of its replicas generates, and lets others in afterwards', async () => {
    const { runs, state } = openParty(1, { target: 1 });
    state.isLaneFree = false;
    await pass(10 * LOOK_MS);
    expect([runs, state.released]).toEqual([[], []]);
    state.isLaneFree = true;
    await pass(LOOK_MS);
    expect(runs).toHaveLength(1);
    expect(state.released).toEqual(['lane']);
    state.fault = new Error('a message did not come');
    await pass(20 * LOOK_MS);
    expect(state.released).toHaveLength(runs.length);
  });

  it('leaves the others a moment to store theirs before it calls the next', async () => {
    const { runs, ends } = openParty(1, { held: true });
    await pass(2 * LOOK_MS - 1);
    ends[0]!();
    await pass(1);
    expect(runs).toHaveLength(1);
    await pass(LOOK_MS);
    expect(runs).toHaveLength(2);
  });

  it('makes none when none is wanted, nor before its time, nor while a party is away', async () => {
    const none = openParty(1, { target: 0 });
    const late = openParty(1, { delayMs: 60_000 });
    const alone = openParty(1, { findReplicas: async () => undefined });
    await pass(60_000 - 1);
    expect([none, late, alone].flatMap(({ runs }) => runs)).toEqual([]);
    expect([none, late, alone].flatMap(({ sent }) => sent)).toEqual([]);
    await pass(LOOK_MS);
    expect([none, late, alone].map(({ runs }) => runs.length)).toEqual([0, 1, 0]);
  });

  it('makes none while something else is asked for', async () => {
    const { runs, state } = openParty(1);
    state.isIdle = false;
    await pass(20 * LOOK_MS);
    expect(runs).toEqual([]);
    state.isIdle = true;
    await pass(LOOK_MS);
    expect(runs).toHaveLength(1);
  });

  it('gives way to a key that somebody waits for, and keeps nothing of what it began', async () => {
    const { maker, runs, stock, state } = openParty(1, { held: true });
    await pass(LOOK_MS);
    state.isIdle = false;
    maker.yieldToKeys();
    expect(runs[0]?.signal.aborted).toBe(true);
    await pass(20 * LOOK_MS);
    expect([runs.length, stock]).toEqual([1, []]);
  });

  it('calls runs ever more seldom while they fail, and as before once one has not', async () => {
    const { runs, stock, state } = openParty(1, { target: 2 });
    state.fault = new Error('the thread ended');
    await pass(LOOK_MS);
    expect(runs).toHaveLength(1);
    for (const pauseMs of [...PAUSES_MS, ...PAUSES_MS.slice(-1)]) {
      const called = runs.length;
      await pass(pauseMs - LOOK_MS);
      expect(runs).toHaveLength(called);
      await pass(LOOK_MS);
      expect(runs).toHaveLength(called + 1);
    }
    state.fault = undefined;
    await pass(PAUSES_MS.at(-1)!);
    expect(stock).toHaveLength(1);
    state.fault = new Error('the thread ended');
    const called = runs.length;
    await pass(LOOK_MS + PAUSES_MS[0]!);
    expect(runs).toHaveLength(called + 2);
  });

  it('goes on at once after a run that gave way to a key', async () => {
    const { maker, runs, alarms } = openParty(1, { held: true });
    for (let run = 1; run <= 6; run++) {
      await pass(LOOK_MS);
      expect(runs).toHaveLength(run);
      maker.yieldToKeys();
    }
    await pass(0);
    expect(alarms).toEqual([]);
  });

  it('joins no run, and calls none once it stops', async () => {
    const { maker, runs } = openParty(1, { held: true, target: 1 });
    for (const from of [...REPLICAS, startReplica(1, 'z')]) maker.receive(from, startOf('other'));
    await pass(0);
    expect(runs).toEqual([]);
    await pass(LOOK_MS);
    maker.stop();
    expect(runs[0]?.signal.aborted).toBe(true);
    await pass(20 * LOOK_MS);
    expect(runs).toHaveLength(1);
  });
});

describe('another party', () => {
  const caller = REPLICAS[0]!;

  it('calls no run', async () => {
    for (const party of [2, 3] as const) {
      const { runs, sent } = openParty(party);
      await pass(20 * LOOK_MS);
      expect([runs, sent]).toEqual([[], []]);
    }
  });

  it('joins the runs of party 1 while it is short of stock itself, and no longer', async () => {
    const { maker, runs, stock } = openParty(2, { target: 2 });
    for (const stockId of ['one', 'two', 'three', 'four']) {
      maker.receive(caller, startOf(stockId));
      await pass(0);
    }
    expect(stock).toEqual(['one', 'two']);
    expect(runs.map(({ session }) => session)).toEqual(['session of one', 'session of two']);
  });

  it('joins none while something else is asked for, and none that another party calls', async () => {
    const { maker, runs, state } = openParty(3);
    for (const from of [REPLICAS[1]!, REPLICAS[2]!]) maker.receive(from, startOf('other'));
    state.isIdle = false;
    maker.receive(caller, startOf('one'));
    await pass(0);
    expect(runs).toEqual([]);
  });

  it('joins no run whose start is malformed', async () => {
    const { maker, runs } = openParty(2);
    const start = startOf('one');
    maker.receive(caller, { ...start, payload: start.payload.subarray(0, -1) });
    await pass(0);
    expect(runs).toEqual([]);
  });

  it('leaves a run when party 1 begins another', async () => {
    const { maker, runs, ends, stock } = openParty(2, { held: true });
    maker.receive(caller, startOf('one'));
    await pass(0);
    maker.receive(caller, startOf('two'));
    await pass(0);
    expect(runs.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    ends[1]!();
    await pass(0);
    expect(stock).toEqual(['two']);
  });
});

describe('a run that a party spoils', () => {
  const spoiled = new RsaGenerationError('product', 'the modulus is another one', { party: 3 });

  it.each([1, 2] as const)('makes party %d raise an alarm', async (party) => {
    const { maker, state, alarms } = openParty(party);
    state.fault = spoiled;
    if (party === 2) maker.receive(REPLICAS[0]!, startOf('one'));
    await pass(LOOK_MS);
    expect(alarms).toEqual([
      { kind: 'party_misbehaved', party: 3, reason: expect.stringContaining('another one') },
    ]);
  });

  it('is told from one that failed by itself', async () => {
    const { state, alarms } = openParty(1);
    state.fault = new RsaGenerationError('stopped', 'the thread ended');
    await pass(LOOK_MS);
    expect(alarms).toEqual([
      { event: 'rsa_stock_failed', reason: expect.stringContaining('the thread ended') },
    ]);
  });

  it('is joined again by another party half as long after as party 1 calls one', async () => {
    const { maker, runs, state } = openParty(2);
    const call = async () => {
      maker.receive(REPLICAS[0]!, startOf(`stock ${runs.length}`));
      await pass(0);
    };
    state.fault = spoiled;
    await call();
    for (const pauseMs of PAUSES_MS) {
      const joined = runs.length;
      await pass(pauseMs / 2 - 1);
      await call();
      expect(runs).toHaveLength(joined);
      await pass(1);
      await call();
      expect(runs).toHaveLength(joined + 1);
    }
  });
});

describe('a share that not all three have', () => {
  it('is discarded before the next run, and counts as stock no more', async () => {
    for (const party of [1, 2] as const) {
      const { maker, runs, stock, state } = openParty(party, { target: 3 });
      stock.push('orphan', 'of all', 'another');
      if (party === 1) stock.pop();
      state.heldByOthers = ['of all', 'elsewhere'];
      if (party === 2) maker.receive(REPLICAS[0]!, startOf('new'));
      await pass(LOOK_MS);
      expect(stock).toEqual(['of all', runs[0]!.keyId]);
    }
  });

  it('is kept by a party that has to give way: it may be on its way to become a key', async () => {
    const { maker, stock, state } = openParty(2);
    stock.push('one');
    state.heldByOthers = [];
    maker.receive(REPLICAS[0]!, startOf('new'));
    maker.yieldToKeys();
    await pass(LOOK_MS);
    expect(stock).toEqual(['one']);
  });

  it('is kept while one of the others has not told what it has', async () => {
    const { maker, runs, stock, state } = openParty(2);
    stock.push('one');
    Object.assign(state, { heldByOthers: ['another'], silent: 3 });
    maker.receive(REPLICAS[0]!, startOf('new'));
    await pass(60_000);
    expect([stock, runs]).toEqual([['one'], []]);
  });
});

/** Three parties that hear each other: what one misses of a key's assignment does not stop them for good. */
describe('three parties', () => {
  it('have the same stock again, whatever was left at one of them', async () => {
    const stocks = [[], ['x'], ['x', 'y']].map((ids) => [...ids]);
    const inboxes = REPLICAS.map(({ party }) => createCeremonyInboxes(party, Date.now));
    const makers = REPLICAS.map((self, index) => {
      const stock = stocks[index]!;
      return openRsaStockMaker({
        self,
        target: 2,
        delayMs: 0,
        inboxes: inboxes[index]!,
        store: {
          insert: async ({ stockId }) => void stock.push(stockId),
          list: async () => [...stock],
          take: async () => undefined,
          discard: async (ids) =>
            void stock.splice(0, Infinity, ...stock.filter((id) => !ids.includes(id))),
        },
        lock: {
          acquire: async () => true,
          release: async () => undefined,
          close: async () => undefined,
        },
        logger: { info: () => undefined, warn: () => undefined } as unknown as Logger,
        alarms: { raise: () => undefined },
        now: Date.now,
        async send(to, message) {
          if (message.kind !== 'ceremony') return;
          const { tag, session, payload } = message;
          if (tag === STOCK_START) makers[to.party - 1]!.receive(self, message);
          else inboxes[to.party - 1]!.put(session, tag, self.party, payload);
        },
        findReplicas: async () => REPLICAS,
        isIdle: () => true,
        // all three take part, or none makes a key
        async generate({ inbox, send }) {
          await Promise.all(
            REPLICAS.filter(({ party }) => party !== self.party).map(({ party }) =>
              send(party, 'here', new Uint8Array()),
            ),
          );
          await inbox.collect('here');
          return SHARE;
        },
      });
    });
    opened.push(...makers);
    await pass(10 * LOOK_MS);
    expect(stocks[0]).toHaveLength(2);
    expect(stocks).toEqual([stocks[0], stocks[0], stocks[0]]);
  });
});
