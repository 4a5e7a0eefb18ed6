/** Which runs for new shares one party calls, joins and keeps, among fakes. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { PartyNumber } from '@countersign/core/parties.js';
import { startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import { createLogger } from '@countersign/runtime/process/logger.js';
import {
  EMPTY_STATE,
  type Key,
  type ShareRefresh as Refresh,
  type VaultState,
} from '@countersign/vault/state/state.js';
import { insertRow, replaceRow } from '@countersign/vault/state/table.js';
import type { PartyMessage } from '../channel/messages.js';
import type { StoredShare } from '../records/share-cache.js';
import { ResharingError } from '../threads/resharing-error.js';
import type { CompletedShare } from '../threads/thread-tasks.js';
import { createCeremonyInboxes } from './ceremony-inbox.js';
import { encodeRunStart, type CeremonyRun } from './ceremony-run.js';
import type { WantedShares } from './reshare-ceremony.js';
import { openShareRefresh, REFRESH_START, type ShareRefresh } from './share-refresh.js';

/** Any empty set of the state's kind. */
const NO_KEYS = EMPTY_STATE.nonces;

type CeremonyMessage = Extract<PartyMessage, { kind: 'ceremony' }>;

const REPLICAS: Replica[] = ([1, 2, 3] as const).map((party) => startReplica(party, 'a'));
const MADE = {
  scheme: 'test',
  wrappedDek: Buffer.from('wrapped'),
  sealed: Buffer.from('sealed'),
  transcriptHash: Buffer.alloc(32, 7),
} as unknown as CompletedShare;
const LOOK_MS = 1_000;
const REST_MS = 10_000;
const LONGEST_REST_MS = 600_000;

function keyRow(id: string, fields: Partial<Key> = {}): Key {
  const row = { id, type: 'ed25519', status: 'active', session: `old of ${id}`, publicKey: 'AAAA' };
  return { attestations: [], sealedParts: [], ...row, ...fields } as unknown as Key;
}

/** The ledger as a party's fold shows it: every key waits for the new shares of refresh 3. */
function openLedger(ids: readonly string[], refresh: Partial<Refresh> = {}) {
  let state: VaultState = {
    ...EMPTY_STATE,
    keys: ids.reduce((table, id) => insertRow(table, keyRow(id)), EMPTY_STATE.keys),
    keysToRefresh: NO_KEYS.union(ids),
    refresh: { number: 3, dealers: [1, 2], successor: null, ...refresh },
  };
  const follower = {
    get state() {
      return state;
    },
    async waitUntil(holds: (now: VaultState) => boolean, timeoutMs: number) {
      for (let waited = 0; waited < timeoutMs && !holds(state); waited += 50) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return holds(state);
    },
  } as unknown as LedgerFollower;
  return {
    follower,
    set: (fields: Partial<VaultState>) => void (state = { ...state, ...fields }),
    done: (id: string) =>
      void (state = { ...state, keysToRefresh: state.keysToRefresh!.delete(id) }),
    end(id: string, fields: Partial<Key>) {
      const row = { ...state.keys.rows.get(id)!, ...fields };
      state = { ...state, keys: replaceRow(state.keys, row) };
    },
  };
}

interface Options {
  readonly replicas?: Replica[] | undefined;
  reshare?(run: CeremonyRun, wanted: WantedShares): Promise<CompletedShare>;
  readonly missing?: boolean;
  readonly insertFails?: boolean;
  /** Replicas are found when it resolves. */
  readonly isFound?: Promise<void>;
}

const opened: ShareRefresh[] = [];

function openParty(
  party: PartyNumber,
  ledger: ReturnType<typeof openLedger>,
  options: Options = {},
) {
  const replicas = 'replicas' in options ? options.replicas : REPLICAS;
  const log: string[] = [];
  const runs: { run: CeremonyRun; wanted: WantedShares }[] = [];
  const sent: { to: Replica; message: CeremonyMessage }[] = [];
  const kept: object[] = [];
  const alarms: object[] = [];
  const stopped: string[] = [];
  const at = { isLaneFree: true };
  const inboxes = createCeremonyInboxes(party, Date.now);
  const drop = jest.spyOn(inboxes, 'drop');
  const refresh = openShareRefresh({
    self: REPLICAS[party - 1]!,
    follower: ledger.follower,
    shares: {
      load: async (keys) =>
        new Map(
          (options.missing === true ? [] : keys).map(({ keyId, session }) => {
            const share = { keyId, session, version: 2, wrappedDek: Buffer.from('w') };
            return [keyId, { ...share, sealed: Buffer.from(session) } as StoredShare];
          }),
        ),
      async insert(share) {
        if (options.insertFails === true) throw new Error('the disk is full');
        log.push(`keep ${share.keyId}`);
        kept.push(share);
      },
    },
    lock: {
      async acquire() {
        if (at.isLaneFree) log.push('lock');
        return at.isLaneFree;
      },
      release: async () => void log.push('unlock'),
      close: async () => undefined,
    },
    inboxes,
    statements: {
      add: (number, { keyId, session }) => {
        log.push(`state ${keyId} of refresh ${number}`);
        expect(session).toBe(runs.at(-1)!.run.session);
      },
      stop: () => void stopped.push('statements'),
    },
    threads: { kekId: 'kek' },
    logger: createLogger('test', 'silent'),
    alarms: { raise: (alarm) => void alarms.push(alarm) },
    now: Date.now,
    async send(to, message) {
      if (message.kind === 'ceremony') sent.push({ to, message });
    },
    async findReplicas() {
      await options.isFound;
      return replicas;
    },
    async reshare(run, wanted) {
      runs.push({ run, wanted });
      return options.reshare === undefined ? MADE : options.reshare(run, wanted);
    },
  });
  opened.push(refresh);
  return { refresh, log, runs, sent, kept, alarms, stopped, at, drop };
}

function startOf(keyId: string, session = 'a session', refresh = 3): CeremonyMessage {
  const payload = encodeRunStart({ replicas: REPLICAS, stockId: '', refresh });
  return { kind: 'ceremony', session, keyId, tag: REFRESH_START, payload };
}

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);
const never = () => new Promise<CompletedShare>(() => undefined);

beforeEach(() => void jest.useFakeTimers());
afterEach(() => {
  for (const refresh of opened.splice(0)) refresh.stop();
  jest.useRealTimers();
});

describe('the first dealer', () => {
  it('calls a run for a key that waits, keeps its share, and only then says so', async () => {
    const ledger = openLedger(['k']);
    const { refresh, log, runs, sent, kept, drop } = openParty(1, ledger);
    refresh.look();
    await pass(0);
    expect(log).toEqual(['lock', 'keep k', 'state k of refresh 3', 'unlock']);
    const { run, wanted } = runs[0]!;
    expect(run).toMatchObject({ keyId: 'k', replicas: REPLICAS, self: REPLICAS[0] });
    expect(sent.map(({ to, message }) => [to, message.session, message.tag])).toEqual(
      [1, 2].map((at) => [REPLICAS[at], run.session, REFRESH_START]),
    );
    expect(wanted).toMatchObject({ dealers: [1, 2], version: 4, key: { id: 'k' } });
    // the share that the ledger says is the key's, by the version that it was sealed under
    expect(wanted.old).toMatchObject({ version: 2, sealed: Buffer.from('old of k') });
    expect(kept).toMatchObject([{ keyId: 'k', session: run.session, version: 4, kekId: 'kek' }]);
    expect(drop).toHaveBeenCalledWith(run.session);
  });

  it('looks once a second by itself', async () => {
    const ledger = openLedger([]);
    const { runs } = openParty(1, ledger);
    ledger.set(openLedger(['k']).follower.state);
    await pass(LOOK_MS);
    expect(runs).toHaveLength(1);
  });

  it('calls no run for keys that wait for none: those that have them, or have gone', async () => {
    const ledger = openLedger(['done', 'gone', 'never']);
    ledger.done('done');
    ledger.end('gone', { status: 'destroyed' });
    ledger.end('never', { status: 'failed' });
    const { runs } = openParty(1, ledger);
    await pass(30 * LOOK_MS);
    expect(runs).toEqual([]);
  });

  it('calls eight runs at a time, and one of a key', async () => {
    const ledger = openLedger(Array.from({ length: 20 }, (_, at) => `k${at}`));
    const { runs } = openParty(1, ledger, { reshare: never });
    await pass(30 * LOOK_MS);
    expect(runs).toHaveLength(8);
    expect(new Set(runs.map(({ run }) => run.keyId)).size).toBe(8);
    const one = openParty(1, openLedger(['k']), { reshare: never });
    await pass(30 * LOOK_MS);
    expect(one.runs).toHaveLength(1);
  });

  it('goes on to the next key as soon as a run ends', async () => {
    const ledger = openLedger(Array.from({ length: 20 }, (_, at) => `k${at}`));
    const { refresh, runs } = openParty(1, ledger);
    refresh.look();
    await pass(0);
    expect(new Set(runs.map(({ run }) => run.keyId)).size).toBe(20);
  });

  it('calls a key ever more seldom while no run completes it', async () => {
    const { runs } = openParty(1, openLedger(['k']));
    const calledAt: number[] = [];
    const begun = Date.now();
    while (Date.now() - begun < 4_000_000) {
      const before = runs.length;
      await pass(5 * LOOK_MS);
      if (runs.length > before) calledAt.push(Date.now() - begun);
    }
    const rests = calledAt.slice(1).map((at, index) => at - calledAt[index]!);
    const wanted = [1, 2, 4, 8, 16, 32].map((times) => times * REST_MS);
    expect(rests.slice(0, 6)).toEqual(wanted);
    expect(new Set(rests.slice(6))).toEqual(new Set([LONGEST_REST_MS]));
  });

  it('rests no shorter because a party was away meanwhile', async () => {
    const ledger = openLedger(['k']);
    const { runs, at } = openParty(1, ledger);
    await pass(LOOK_MS + 3 * REST_MS);
    expect(runs).toHaveLength(3);
    at.isLaneFree = false;
    await pass(8 * REST_MS);
    at.isLaneFree = true;
    await pass(LOOK_MS);
    expect(runs).toHaveLength(4);
    await pass(7 * REST_MS);
    expect(runs).toHaveLength(4);
    await pass(REST_MS);
    expect(runs).toHaveLength(5);
  });

  it('begins anew with the next refresh, also while keys of the one before still wait', async () => {
    const ledger = openLedger(['k']);
    const { runs } = openParty(1, ledger);
    await pass(40 * REST_MS);
    const before = runs.length;
    ledger.set({
      keysToRefresh: NO_KEYS.add('k'),
      refresh: { number: 4, dealers: [1, 2], successor: null },
    });
    await pass(2 * LOOK_MS + REST_MS);
    expect(runs).toHaveLength(before + 2);
    expect(runs.at(-1)!.wanted.version).toBe(5);
  });

  it('goes on when its clock was ahead, and is set right', async () => {
    const { runs } = openParty(1, openLedger(['k']));
    const right = Date.now();
    jest.setSystemTime(right + 365 * 86_400_000);
    await pass(LOOK_MS);
    jest.setSystemTime(right);
    await pass(LOOK_MS);
    expect(runs).toHaveLength(2);
  });

  it('calls none while a party is away, or another of its replicas does, and looks again at once', async () => {
    const ledger = openLedger(['k']);
    const alone = openParty(1, ledger, { replicas: undefined });
    const second = openParty(1, ledger);
    second.at.isLaneFree = false;
    await pass(3.5 * REST_MS);
    expect([alone.runs, second.runs, second.log]).toEqual([[], [], []]);
    expect(alone.log.at(-1)).toBe('unlock');
    second.at.isLaneFree = true;
    await pass(LOOK_MS);
    expect(second.runs).toHaveLength(1);
  });

  it('calls no more once it stops, and ends what is under way', async () => {
    const ledger = openLedger(['k', 'l']);
    const { refresh, runs, stopped } = openParty(1, ledger, { reshare: never });
    await pass(LOOK_MS);
    refresh.stop();
    expect(runs.map(({ run }) => run.signal.aborted)).toEqual([true, true]);
    expect(stopped).toEqual(['statements']);
    ledger.set(openLedger(['k', 'l', 'm']).follower.state);
    refresh.look();
    await pass(30 * LOOK_MS);
    expect(runs).toHaveLength(2);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('lets the lane go when its run fails, and keeps and says nothing', async () => {
    const { log, kept, drop } = openParty(1, openLedger(['k']), {
      reshare: async () => Promise.reject(new Error('a message did not come')),
    });
    await pass(LOOK_MS);
    expect([log, kept]).toEqual([['lock', 'unlock'], []]);
    expect(drop).toHaveBeenCalledTimes(1);
  });
});

describe('another party', () => {
  it('calls no run, whether it deals or not', async () => {
    for (const party of [2, 3] as const) {
      const { runs, sent } = openParty(party, openLedger(['k']));
      await pass(30 * LOOK_MS);
      expect([runs, sent]).toEqual([[], []]);
    }
  });

  it('calls none where there never was a refresh', async () => {
    const ledger = openLedger(['k']);
    ledger.set({ refresh: undefined } as unknown as Partial<VaultState>);
    const { runs } = openParty(1, ledger);
    await pass(30 * LOOK_MS);
    expect(runs).toEqual([]);
  });

  it('joins a run of the first dealer, with its old share only where it deals', async () => {
    for (const [party, hasOld] of [
      [2, true],
      [3, false],
    ] as const) {
      const { refresh, runs, log } = openParty(party, openLedger(['k']));
      refresh.receive(REPLICAS[0]!, startOf('k'));
      await pass(0);
      expect(runs[0]!.run).toMatchObject({ session: 'a session', replicas: REPLICAS });
      expect(runs[0]!.wanted.old !== undefined).toBe(hasOld);
      expect(log).toEqual(['keep k', 'state k of refresh 3']);
    }
  });

  it('joins none that anybody else calls', async () => {
    const { refresh, runs } = openParty(3, openLedger(['k']));
    refresh.receive(REPLICAS[1]!, startOf('k'));
    const dealer = openParty(1, openLedger(['k'], { dealers: [2, 3] }));
    dealer.refresh.receive(REPLICAS[2]!, startOf('k'));
    const own = openParty(1, openLedger(['k']));
    own.at.isLaneFree = false;
    own.refresh.receive(startReplica(1, 'b'), startOf('k'));
    await pass(5 * LOOK_MS);
    expect([runs, dealer.runs, own.runs]).toEqual([[], [], []]);
  });

  it('joins none for a key that waits for no new shares', async () => {
    const ledger = openLedger(['done', 'gone']);
    ledger.done('done');
    ledger.end('gone', { status: 'destroyed' });
    const { refresh, runs } = openParty(2, ledger);
    for (const id of ['done', 'gone', 'unknown']) refresh.receive(REPLICAS[0]!, startOf(id));
    await pass(5 * LOOK_MS);
    expect(runs).toEqual([]);
  });

  it('joins one whose refresh its fold has not seen yet', async () => {
    const ledger = openLedger(['k']);
    const { state } = ledger.follower;
    ledger.set({ keysToRefresh: NO_KEYS });
    const { refresh, runs } = openParty(2, ledger);
    refresh.receive(REPLICAS[0]!, startOf('k'));
    await pass(500);
    ledger.set(state);
    await pass(500);
    expect(runs).toHaveLength(1);
  });

  it('joins few of one key in a while', async () => {
    const { refresh, runs } = openParty(2, openLedger(['k']), { reshare: never });
    for (let at = 0; at < 100; at++) refresh.receive(REPLICAS[0]!, startOf('k', `session ${at}`));
    await pass(0);
    expect(runs).toHaveLength(4);
  });

  it('makes room for other runs when one ends', async () => {
    const ids = Array.from({ length: 200 }, (_, at) => `k${at}`);
    const { refresh, runs } = openParty(2, openLedger(ids), {
      reshare: async () => Promise.reject(new Error('a message did not come')),
    });
    for (const id of ids) {
      refresh.receive(REPLICAS[0]!, startOf(id, `session of ${id}`));
      await pass(0);
    }
    expect(runs).toHaveLength(200);
  });

  it('does not deal from a share that it does not have', async () => {
    const { refresh, runs, log } = openParty(2, openLedger(['k']), { missing: true });
    refresh.receive(REPLICAS[0]!, startOf('k'));
    await pass(0);
    expect([runs, log]).toEqual([[], []]);
  });
});

describe('a run of another refresh than the one that this party knows', () => {
  it.each([
    ['an earlier one', 2],
    ['one that it never hears of', 4],
  ])('makes no share and accuses nobody: %s', async (_which, number) => {
    const ledger = openLedger(['k']);
    const { refresh, runs, alarms } = openParty(2, ledger);
    refresh.receive(REPLICAS[0]!, startOf('k', 'a session', number));
    await pass(60_000);
    expect([runs, alarms]).toEqual([[], []]);
  });

  it('begins once this party knows it too', async () => {
    const ledger = openLedger(['k']);
    const { refresh, runs } = openParty(2, ledger);
    refresh.receive(REPLICAS[0]!, startOf('k', 'a session', 4));
    await pass(100);
    expect(runs).toEqual([]);
    ledger.set({ refresh: { number: 4, dealers: [1, 2], successor: 3 } });
    await pass(100);
    expect(runs.map(({ wanted }) => wanted.version)).toEqual([5]);
  });

  it('is not taken on by whoever called it for the one before', async () => {
    const ledger = openLedger(['k']);
    let goOn = (): void => undefined;
    const isFound = new Promise<void>((resolve) => (goOn = resolve));
    const { refresh, runs, sent, alarms } = openParty(1, ledger, { isFound });
    refresh.look();
    await pass(10);
    ledger.set({ refresh: { number: 4, dealers: [1, 2], successor: 3 } });
    goOn();
    await pass(10);
    expect(alarms).toEqual([]);
    expect(runs.map(({ run }) => run.session)).not.toContain(sent[0]!.message.session);
  });
});

describe('a share that was made', () => {
  it.each([
    ['another refresh has begun', { refresh: { number: 4, dealers: [1, 2], successor: 3 } }],
    ['the key waits no more', { keysToRefresh: NO_KEYS }],
  ] as const)('is not kept where %s meanwhile', async (_why, fields) => {
    const ledger = openLedger(['k']);
    const { refresh, runs, log } = openParty(2, ledger, {
      async reshare() {
        ledger.set(fields);
        return MADE;
      },
    });
    refresh.receive(REPLICAS[0]!, startOf('k'));
    await pass(0);
    expect([runs.length, log]).toEqual([1, []]);
  });

  it('is not stated where it could not be stored', async () => {
    const { refresh, runs, log } = openParty(3, openLedger(['k']), { insertFails: true });
    refresh.receive(REPLICAS[0]!, startOf('k'));
    await pass(0);
    expect([runs.length, log]).toEqual([1, []]);
  });
});

describe('a run that fails', () => {
  it('is told as misbehaviour where somebody did not follow the protocol, and names them if it can', async () => {
    const faults = [new ResharingError('it lied', 2), new ResharingError('one of them lied')];
    const { refresh, alarms } = openParty(3, openLedger(['k']), {
      reshare: async () => Promise.reject(faults.shift() ?? new Error('a message did not come')),
    });
    for (const session of ['a', 'b', 'c']) refresh.receive(REPLICAS[0]!, startOf('k', session));
    await pass(0);
    const reason = (why: string) => `spoiled new shares of key k: ${why}`;
    expect(alarms).toEqual([
      { kind: 'party_misbehaved', party: 2, reason: reason('it lied') },
      { kind: 'party_misbehaved', reason: reason('one of them lied') },
    ]);
  });
});
