import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createLoggedAlarms } from '@countersign/runtime/alarms/alarms.js';
import { startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import { EMPTY_STATE, type Key, type VaultState } from '@countersign/vault/state/state.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { insertRow, replaceRow } from '@countersign/vault/state/table.js';
import { createLogger } from '@countersign/runtime/process/logger.js';
import type { PartyMessage } from '../channel/messages.js';
import type { ShareStore } from '../records/share-store.js';
import type { CompletedShare } from '../threads/thread-tasks.js';
import { createCeremonyInboxes } from './ceremony-inbox.js';
import { encodeRunStart, type CeremonyRun } from './ceremony-run.js';
import { KEY_START, openKeyCeremonies, type KeyCeremonies } from './key-ceremonies.js';
import { KeyRefusedError } from './key-refused-error.js';

type CeremonyMessage = Extract<PartyMessage, { kind: 'ceremony' }>;

const REPLICAS: Replica[] = [startReplica(1, 'a'), startReplica(2, 'b'), startReplica(3, 'c')];
const SHARE = { scheme: 'test' } as unknown as CompletedShare;

function keyRow(id: string, fields: Partial<Key> = {}): Key {
  return {
    id,
    displayName: id,
    description: null,
    type: 'ed25519',
    scheme: 'ed25519',
    custody: 'mpc',
    modulusBits: null,
    encoding: null,
    venueId: null,
    venueApiKey: null,
    labels: {},
    status: 'generating',
    failure: null,
    frozen: null,
    version: 1,
    publicKey: '',
    session: '',
    attestations: [],
    sealedParts: [],
    walletId: null,
    createdAt: 0,
    createdBy: 'x',
    lastUpdatedAt: 0,
    lastUpdatedBy: 'x',
    ...fields,
  };
}

/** The ledger as a party's fold shows it: what is put here is pending until it is taken away. */
function openLedger(...rows: readonly Key[]) {
  let state: VaultState = {
    ...EMPTY_STATE,
    keys: rows.reduce((table, row) => insertRow(table, row), EMPTY_STATE.keys),
  };
  const follower = {
    get state() {
      return state;
    },
    async waitUntil(holds: (now: VaultState) => boolean, timeoutMs: number) {
      for (let waited = 0; waited < timeoutMs; waited += 50) {
        if (holds(state)) return true;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return holds(state);
    },
  } as unknown as LedgerFollower;
  return {
    follower,
    ask(row: Key) {
      state = { ...state, keys: insertRow(state.keys, row) };
    },
    end(id: string, fields: Partial<Key>) {
      const keys = replaceRow(state.keys, { ...state.keys.rows.get(id)!, ...fields });
      state = { ...state, keys };
    },
  };
}

interface PartyOptions {
  readonly perform?: (run: CeremonyRun, key: Key) => Promise<CompletedShare>;
  readonly replicas?: Replica[] | undefined;
  readonly isLockFree?: (name: string) => boolean;
  readonly stockId?: string;
}

/** One party's key ceremonies among fakes; `log` has what they did, in order. */
function openParty(
  party: PartyNumber,
  ledger: ReturnType<typeof openLedger>,
  options: PartyOptions = {},
) {
  const { perform = async () => SHARE, isLockFree = () => true } = options;
  const replicas = 'replicas' in options ? options.replicas : REPLICAS;
  const log: string[] = [];
  const sent: { to: Replica; message: CeremonyMessage }[] = [];
  const runs: CeremonyRun[] = [];
  const inboxes = createCeremonyInboxes(party, Date.now);
  const shares = {
    deleteOtherSessions: async (keyId: string, session: string) =>
      void log.push(`keep of ${keyId} only ${session}`),
    deleteAll: async (keyIds: readonly string[]) => void log.push(`delete ${keyIds.join()}`),
  } as unknown as ShareStore;
  const self = REPLICAS[party - 1]!;
  const ceremonies = openKeyCeremonies({
    self,
    follower: ledger.follower,
    shares,
    inboxes,
    attester: {
      keep: async (_session, key) => void log.push(`keep ${key.id}`),
      attest: async (_session, key) => void log.push(`attest ${key.id}`),
      refuse: async (key, reason) => void log.push(`refuse ${key.id}: ${reason}`),
    },
    lock: {
      async acquire(keyId) {
        const isFree = isLockFree(keyId);
        log.push(isFree ? `lock ${keyId}` : `locked out of ${keyId}`);
        return isFree;
      },
      release: async (keyId) => void log.push(`unlock ${keyId}`),
      close: async () => undefined,
    },
    logger: createLogger('test', 'silent'),
    alarms: createLoggedAlarms(createLogger('test', 'silent')),
    now: () => Date.now(),
    async send(to, message) {
      if (message.kind === 'ceremony') sent.push({ to, message });
    },
    findReplicas: async () => replicas,
    findStock: async () => options.stockId ?? '',
    async perform(run, key) {
      log.push(`perform ${key.id}`);
      runs.push(run);
      return perform(run, key);
    },
  });
  opened.push(ceremonies);
  return { ceremonies, log, sent, runs, inboxes };
}

const opened: KeyCeremonies[] = [];

function startOf(keyId: string, session: string, stockId = ''): CeremonyMessage {
  const payload = encodeRunStart({ replicas: REPLICAS, stockId, refresh: 0 });
  return { kind: 'ceremony', session, keyId, tag: KEY_START, payload };
}

/** A run that ends when it is told to, or when it is aborted. */
function heldRun() {
  const ends: ((share: CompletedShare) => void)[] = [];
  const perform = ({ signal }: CeremonyRun) =>
    new Promise<CompletedShare>((resolve, reject) => {
      ends.push(resolve);
      signal.addEventListener('abort', () => reject(new Error('overtaken')));
    });
  return { perform, ends };
}

const settle = () => jest.advanceTimersByTimeAsync(0);

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  for (const ceremonies of opened.splice(0)) ceremonies.stop();
  jest.useRealTimers();
});

describe('party 1', () => {
  it('calls a run for a pending key, tells the two others, keeps its share and then attests', async () => {
    const ledger = openLedger(keyRow('k'));
    const { log, sent, runs } = openParty(1, ledger, { stockId: 'stock-1' });
    await settle();
    expect(log).toEqual(['lock k', 'perform k', 'keep k', 'attest k']);
    ledger.end('k', { status: 'active' });
    await jest.advanceTimersByTimeAsync(100);
    expect(log.at(-1)).toBe('unlock k');
    expect(runs[0]).toMatchObject({ keyId: 'k', replicas: REPLICAS, stockId: 'stock-1' });
    const { session } = runs[0]!;
    expect(session).toMatch(/^[0-9a-f]{32}$/);
    expect(sent).toEqual(
      REPLICAS.slice(1).map((to) => ({ to, message: startOf('k', session, 'stock-1') })),
    );
  });

  it('calls a run for a key that the ledger asks for later, within a second', async () => {
    const ledger = openLedger();
    const { log } = openParty(1, ledger);
    ledger.ask(keyRow('k'));
    expect(log).toEqual([]);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(log).toContain('attest k');
  });

  it('calls at once when an outcome shows that one is asked for', async () => {
    const ledger = openLedger();
    const { log, ceremonies } = openParty(1, ledger);
    ledger.ask(keyRow('k'));
    ceremonies.onOutcomes([]);
    await settle();
    expect(log).toContain('attest k');
  });

  it('waits while a party is away, and while another replica is at it', async () => {
    const absent = openParty(1, openLedger(keyRow('k')), { replicas: undefined });
    const locked = openParty(1, openLedger(keyRow('k')), { isLockFree: () => false });
    await jest.advanceTimersByTimeAsync(0);
    expect(absent.log).toEqual(['lock k', 'unlock k']);
    expect(locked.log).toEqual(['locked out of k']);
    expect([absent, locked].flatMap(({ sent }) => sent)).toEqual([]);
  });

  it('tries again after a failure, each time after a longer pause', async () => {
    const failing = async () => {
      throw new Error('a message did not come in time');
    };
    const { log, runs } = openParty(1, openLedger(keyRow('k')), { perform: failing });
    const countAfter = async (ms: number) => {
      await jest.advanceTimersByTimeAsync(ms);
      return runs.length;
    };
    expect(await countAfter(0)).toBe(1);
    expect(await countAfter(999)).toBe(1);
    expect(await countAfter(1)).toBe(2);
    // 1 s, 2 s, 4 s, 8 s, and never more than 15 s, as seen by a look once a second
    expect(await countAfter(1_000)).toBe(3);
    expect(await countAfter(1_000)).toBe(3);
    expect(await countAfter(1_000)).toBe(4);
    const before = await countAfter(60_000);
    expect((await countAfter(32_000)) - before).toBe(2);
    expect(new Set(runs.map(({ session }) => session)).size).toBe(runs.length);
    expect(log.filter((line) => /keep|attest|refuse/.test(line))).toEqual([]);
    expect(log.filter((line) => line === 'lock k')).toHaveLength(runs.length);
    expect(log.filter((line) => line === 'unlock k')).toHaveLength(runs.length);
  });

  it('gives the others five seconds to attest before it calls another run', async () => {
    const { runs } = openParty(1, openLedger(keyRow('k')));
    await jest.advanceTimersByTimeAsync(4_900);
    expect(runs).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(2_000);
    expect(runs).toHaveLength(2);
  });

  it('holds no more than eight runs at once', async () => {
    const { perform, ends } = heldRun();
    const ledger = openLedger(...Array.from({ length: 12 }, (_, index) => keyRow(`k${index}`)));
    const { runs } = openParty(1, ledger, { perform });
    await jest.advanceTimersByTimeAsync(3_000);
    expect(runs).toHaveLength(8);
    ledger.end(runs[0]!.keyId, { status: 'active' });
    ends[0]!(SHARE);
    await jest.advanceTimersByTimeAsync(100);
    expect(new Set(runs.map(({ keyId }) => keyId)).size).toBe(9);
  });

  it('generates one RSA key at a time, and makes other keys beside it', async () => {
    const { perform, ends } = heldRun();
    const rsa = { type: 'rsa' } as const;
    const ledger = openLedger(
      keyRow('first', rsa),
      keyRow('second', rsa),
      keyRow('imported', { ...rsa, status: 'importing' }),
      keyRow('other'),
    );
    const { runs } = openParty(1, ledger, { perform });
    const called = () => runs.map(({ keyId }) => keyId).toSorted();
    await jest.advanceTimersByTimeAsync(3_000);
    expect(called()).toEqual(['first', 'imported', 'other']);
    ledger.end('first', { status: 'active' });
    ends[runs.findIndex(({ keyId }) => keyId === 'first')]!(SHARE);
    await jest.advanceTimersByTimeAsync(100);
    expect(called()).toEqual(['first', 'imported', 'other', 'second']);
  });

  it('generates no RSA key while another of its replicas does, whichever key that is', async () => {
    const rsa = { type: 'rsa' } as const;
    const isLockFree = (name: string) => name !== 'rsa generation';
    const ledger = openLedger(keyRow('k', rsa), keyRow('l'));
    const { log, runs } = openParty(1, ledger, { isLockFree });
    await settle();
    expect(log).toContain('locked out of rsa generation');
    expect(runs.map(({ keyId }) => keyId)).toEqual(['l']);
  });

  it('joins no run, whoever calls it: another replica of its own included', async () => {
    const { ceremonies, runs } = openParty(1, openLedger(keyRow('k')), { replicas: undefined });
    for (const from of [...REPLICAS, startReplica(1, 'z')]) {
      ceremonies.receive(from, startOf('k', 's'));
    }
    await jest.advanceTimersByTimeAsync(5_000);
    expect(runs).toEqual([]);
  });
});

describe('another party', () => {
  const caller = REPLICAS[0]!;

  it('never calls a run', async () => {
    for (const party of [2, 3] as const) {
      const { log, sent } = openParty(party, openLedger(keyRow('k')));
      await jest.advanceTimersByTimeAsync(20_000);
      expect([log, sent]).toEqual([[], []]);
    }
  });

  it('joins the run that party 1 calls, with what has come for it before', async () => {
    const { ceremonies, log, runs, inboxes } = openParty(2, openLedger(keyRow('k')));
    inboxes.put('s', 'round1', 3, Buffer.from('early'));
    ceremonies.receive(caller, startOf('k', 's', 'stock-1'));
    await settle();
    expect(log).toEqual(['perform k', 'keep k', 'attest k']);
    const [run] = runs;
    expect(run).toMatchObject({
      self: REPLICAS[1],
      session: 's',
      keyId: 'k',
      replicas: REPLICAS,
      stockId: 'stock-1',
    });
    expect(await run?.inbox.receive('round1', 3)).toEqual(Buffer.from('early'));
    // the run is over: what comes late for it waits for nobody
    expect(inboxes.open('s')).not.toBe(run?.inbox);
    expect(run?.signal.aborted).toBe(true);
  });

  it('ignores a start from any other party than 1', async () => {
    const { ceremonies, log } = openParty(2, openLedger(keyRow('k')));
    ceremonies.receive(REPLICAS[2]!, startOf('k', 's'));
    ceremonies.receive(startReplica(2, 'z'), startOf('k', 's'));
    await jest.advanceTimersByTimeAsync(5_000);
    expect(log).toEqual([]);
  });

  it.each(['active', 'failed', 'destroyed', 'disabled'] as const)(
    'does not join a run for a key that is %s',
    async (status) => {
      const { ceremonies, runs } = openParty(3, openLedger(keyRow('k', { status })));
      ceremonies.receive(caller, startOf('k', 's'));
      await jest.advanceTimersByTimeAsync(5_000);
      expect(runs).toEqual([]);
    },
  );

  it('does not join a run for a key that its own ledger does not name within two seconds', async () => {
    const ledger = openLedger();
    const { ceremonies, runs } = openParty(3, ledger);
    ceremonies.receive(caller, startOf('k', 's'));
    await jest.advanceTimersByTimeAsync(2_100);
    ledger.ask(keyRow('k'));
    await jest.advanceTimersByTimeAsync(5_000);
    expect(runs).toEqual([]);
  });

  it('joins when its fold comes to name the key in time', async () => {
    const ledger = openLedger();
    const { ceremonies, log } = openParty(3, ledger);
    ceremonies.receive(caller, startOf('k', 's'));
    await jest.advanceTimersByTimeAsync(1_500);
    ledger.ask(keyRow('k'));
    await jest.advanceTimersByTimeAsync(100);
    expect(log).toEqual(['perform k', 'keep k', 'attest k']);
  });

  it('does not join a run whose start is malformed', async () => {
    const { ceremonies, runs } = openParty(2, openLedger(keyRow('k')));
    const start = startOf('k', 's');
    const payloads = [
      Buffer.alloc(0),
      start.payload.subarray(0, -1),
      encodeRunStart({ replicas: REPLICAS.toReversed(), stockId: '', refresh: 0 }),
    ];
    for (const payload of payloads) ceremonies.receive(caller, { ...start, payload });
    await settle();
    expect(runs).toEqual([]);
  });
});

describe('a run that is overtaken', () => {
  const caller = REPLICAS[0]!;

  it('is aborted when its caller begins another one for the same key', async () => {
    const { perform, ends } = heldRun();
    const { ceremonies, log, runs } = openParty(2, openLedger(keyRow('k')), { perform });
    ceremonies.receive(caller, startOf('k', 'first'));
    await settle();
    expect(runs[0]?.signal.aborted).toBe(false);
    ceremonies.receive(caller, startOf('k', 'second'));
    await settle();
    expect(runs.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    // the end of the first is not the end of the second
    ceremonies.receive(caller, startOf('k', 'third'));
    await settle();
    expect(runs.map(({ signal }) => signal.aborted)).toEqual([true, true, false]);
    ends[2]!(SHARE);
    await settle();
    expect(log).toEqual(['perform k', 'perform k', 'perform k', 'keep k', 'attest k']);
  });

  it('and runs for other keys go on', async () => {
    const { perform } = heldRun();
    const ledger = openLedger(keyRow('k'), keyRow('l'));
    const { ceremonies, runs } = openParty(2, ledger, { perform });
    ceremonies.receive(caller, startOf('k', 'first'));
    ceremonies.receive(caller, startOf('l', 'second'));
    await settle();
    expect(runs.map(({ signal }) => signal.aborted)).toEqual([false, false]);
  });

  it('every run is aborted when the process stops, and none is called any more', async () => {
    const { perform } = heldRun();
    const ledger = openLedger(keyRow('k'));
    const { ceremonies, runs } = openParty(1, ledger, { perform });
    await settle();
    ceremonies.stop();
    expect(runs[0]?.signal.aborted).toBe(true);
    ledger.ask(keyRow('l'));
    ceremonies.onOutcomes([]);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(runs).toHaveLength(1);
  });
});

describe('a key that can never be', () => {
  const refusing = async () => {
    throw new KeyRefusedError('the part does not fit its commitments');
  };

  it.each([1, 2] as const)('is refused in the ledger by party %d that found it', async (party) => {
    const ledger = openLedger(keyRow('k', { status: 'importing' }));
    const { ceremonies, log } = openParty(party, ledger, { perform: refusing });
    if (party !== 1) ceremonies.receive(REPLICAS[0]!, startOf('k', 's'));
    await settle();
    expect(log.filter((line) => !line.includes('lock'))).toEqual([
      'perform k',
      'refuse k: the part does not fit its commitments',
    ]);
  });

  it('is not refused for any other failure', async () => {
    const perform = async () => {
      throw new TypeError('the part does not fit its commitments');
    };
    const { ceremonies, log } = openParty(2, openLedger(keyRow('k')), { perform });
    ceremonies.receive(REPLICAS[0]!, startOf('k', 's'));
    await settle();
    expect(log).toEqual(['perform k']);
  });

  it('is not called again once it has failed', async () => {
    const ledger = openLedger(keyRow('k'));
    const { runs } = openParty(1, ledger, { perform: refusing });
    await settle();
    ledger.end('k', { status: 'failed' });
    await jest.advanceTimersByTimeAsync(60_000);
    expect(runs).toHaveLength(1);
  });
});

describe('shares that are of no more use', () => {
  const outcome = (fields: Partial<EntryOutcome>) =>
    ({
      kind: 'attestation',
      refusal: undefined,
      subject: { resourceType: 'key', resourceIds: ['k'], keyIds: ['k'] },
      ...fields,
    }) as EntryOutcome;

  it('of other runs are deleted once the key is active', () => {
    const ledger = openLedger(keyRow('k', { status: 'active', session: 's' }));
    const { ceremonies, log } = openParty(2, ledger);
    ceremonies.onOutcomes([outcome({})]);
    expect(log).toEqual(['keep of k only s']);
    // a later change of the key is no reason to look again
    ceremonies.onOutcomes([outcome({ kind: 'evidence' })]);
    expect(log).toHaveLength(1);
  });

  it.each(['failed', 'destroyed'] as const)('of a key that is %s are deleted', (status) => {
    const ledger = openLedger(keyRow('k'), keyRow('l', { status: 'active' }));
    const { ceremonies, log } = openParty(3, ledger);
    ledger.end('k', { status });
    ceremonies.onOutcomes([outcome({ kind: status === 'failed' ? 'key-refusal' : 'evidence' })]);
    expect(log).toEqual(['delete k']);
  });

  it('that went while this party was away are deleted at its start', () => {
    const ledger = openLedger(
      keyRow('a', { status: 'active' }),
      keyRow('b', { status: 'destroyed' }),
      keyRow('c', { status: 'failed' }),
      keyRow('d', { status: 'disabled' }),
    );
    expect(openParty(2, ledger).log).toEqual(['delete b,c']);
    expect(openParty(2, openLedger(keyRow('a', { status: 'active' }))).log).toEqual([]);
  });

  it('are kept when an entry was refused, and while the key is being made', () => {
    const ledger = openLedger(keyRow('k'), keyRow('l'));
    const { ceremonies, log } = openParty(2, ledger);
    ceremonies.onOutcomes([outcome({})]);
    ledger.end('k', { status: 'destroyed' });
    const refusal = { refused: 'resource_conflict', message: 'no' } as const;
    ceremonies.onOutcomes([outcome({ refusal })]);
    expect(log).toEqual([]);
  });
});
