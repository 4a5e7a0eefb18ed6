/** A party's snapshot of its fold: what it is believed for, and that whatever is wrong with it changes nothing. */
import { sign } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { toHex } from '@countersign/core/bytes.js';
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { Alarm } from '@countersign/runtime/alarms/alarms.js';
import { checkEarlierHistory } from '@countersign/runtime/ledger/earlier-history.js';
import {
  openFoldSnapshots,
  type OutcomeMemory,
  type SnapshotGround,
} from '@countersign/runtime/ledger/fold-snapshots.js';
import { WrongLedgerError } from '@countersign/runtime/ledger/followed-fold.js';
import { createOtherHistories } from '@countersign/runtime/ledger/other-histories.js';
import {
  partyAuthor,
  sealingAuthor,
  type SealingAuthor,
  type SnapshotStatement,
} from '@countersign/runtime/ledger/snapshot-author.js';
import { readSnapshot, writeSnapshot } from '@countersign/runtime/ledger/snapshot-file.js';
import { createLogger } from '@countersign/runtime/process/logger.js';
import type { EntryRow } from '@countersign/vault/ledger/entry.js';
import { findRowChanges } from '@countersign/vault/audit/row-changes.js';
import { createFold, type Fold } from '@countersign/vault/ledger/fold.js';
import { BrokenChainError } from '@countersign/vault/ledger/ledger-errors.js';
import { STATES_KEPT } from '@countersign/vault/ledger/remembered-places.js';
import { writeSavedFold } from '@countersign/vault/snapshots/saved-fold.js';
import { stateHash } from '@countersign/vault/state/state-hash.js';
import {
  createLedgerBuilder,
  rawPublicKey,
  rechain,
  testPrivateKey,
  type LedgerBuilder,
} from '../support/ledger-builder.ts';

const EVERY_ROWS = 40;
/** Rows of a page: as the follower reads them. */
const PAGE = 50;

let folder: string;
let path: string;
let ledger: LedgerBuilder;
let rows: readonly EntryRow[];
/** What a fold that began with the genesis comes to. */
let whole: ReturnType<typeof telling>;
/** A snapshot of party 1, in the file that each test finds. */
let made: string;
/** The place that it is of. */
let at: number;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fold-snapshots-'));
  made = join(folder, 'made');
  ledger = createLedgerBuilder();
  const addVault = (name: string) =>
    ledger.must(ledger.admin, 'POST', '/v1/vaults', { display_name: name });
  addVault('first');
  ledger.appendRow(ledger.countersignature(3, { hash: Buffer.alloc(32, 9) }));
  for (let change = 0; change < STATES_KEPT + 120; change += 1) addVault(`vault ${change}`);
  ({ rows } = ledger);
  const first = await start({ path: made, pinned: undefined });
  whole = telling(first.fold);
  at = (await readSnapshot(made))!.label.seq;
}, 120_000);
afterAll(() => {
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  path = join(folder, 'snapshot');
  copyFileSync(made, path);
});
afterEach(() => {
  rmSync(path, { force: true });
});

const signAs = (name: string) => async (message: Uint8Array) =>
  sign(null, message, testPrivateKey(name));

const storeOf = (shown: readonly EntryRow[]) => ({
  readAfter: async (seq: number, limit: number) =>
    shown.filter((row) => row.seq > seq).slice(0, limit),
});

const genesisHash = () => toHex(ledger.rows[0]!.hash);
const pinAt = (row: EntryRow) => ({
  genesisHash: genesisHash(),
  seq: row.seq,
  hash: toHex(row.hash),
});

/** Counts what it hears of. */
function createCount() {
  let heard = 0;
  const memory: OutcomeMemory = {
    name: 'count',
    save: () => [heard],
    load(values) {
      const [saved] = values;
      if (typeof saved !== 'number') throw new Error('no count');
      return () => (heard = saved);
    },
  };
  return { memory, note: (more: number) => (heard += more), heard: () => heard };
}

interface Start extends Partial<Omit<SnapshotGround, 'fold' | 'memories'>> {
  readonly path?: string;
  readonly party?: PartyNumber;
  /** In the place of a party. */
  readonly sealing?: SealingAuthor;
  readonly rows?: readonly EntryRow[];
  readonly isSigning?: boolean;
  /** Whether it goes on to fold. */
  readonly isReading?: boolean;
}

/** A party that starts and folds what it is shown; the rows themselves are looked at as a follower does. */
async function start(given: Start = {}) {
  const { party = 1, sealing, rows: shown = rows, isSigning = true } = given;
  const logged: { event: string; reason?: string }[] = [];
  const logger = createLogger('test', 'info', {
    write: (line) => void logged.push(JSON.parse(line) as { event: string }),
  });
  const snapshots = openFoldSnapshots({
    path: given.path ?? path,
    ...{ author: sealing ?? partyAuthor(party), logger, everyRows: EVERY_ROWS },
  });
  const alarms: Alarm[] = [];
  const histories = createOtherHistories({ raise: (alarm) => void alarms.push(alarm) });
  const count = createCount();
  const memories = [histories, count.memory];
  const fold = createFold({ keys: ledger.keys, findChanges: findRowChanges });
  const resumed = await snapshots.resume({
    ...{ fold, memories },
    ...{ store: storeOf(shown), genesisHash: genesisHash(), pinned: pinAt(rows.at(-1)!) },
    ...given,
  });
  if (isSigning) snapshots.proveBy(sealing?.prove ?? signAs(`party ${party}`));
  const rest = given.isReading === false ? [] : shown.slice(resumed?.seq ?? 0);
  for (let first = 0; first < rest.length; first += PAGE) {
    const outcomes = fold.advance(rest.slice(first, first + PAGE));
    histories.note(outcomes);
    count.note(outcomes.length);
    snapshots.note({ fold, memories });
    await snapshots.settle();
  }
  const reasons = logged.map(({ event, reason }) => `${event}: ${reason}`);
  return { fold, resumed, alarms, reasons, heard: count.heard() };
}

function telling(fold: Fold) {
  const { view } = fold;
  const { hashAt } = view;
  return {
    hash: stateHash(view.state),
    optimistic: stateHash(view.optimistic),
    rules: view.rules,
    statements: [...view.countersignatures.values()].map(({ party, seq }) => [party, seq]),
    hashes: rows.map(({ seq }) => hashAt(seq)),
    places: rows.map(({ seq }) => {
      const place = view.at(seq, hashAt(seq) ?? '');
      return place && { rules: place.rules, time: place.state.time, hash: place.state.headHash };
    }),
    saved: [...writeSavedFold(fold.save()!)],
  };
}

/** It says why, and the fold is one that has taken nothing: it begins with the genesis. */
async function expectDiscarded(given: Start, reason: string): Promise<void> {
  const { fold, resumed, alarms, reasons, heard } = await start({ isReading: false, ...given });
  expect(resumed).toBeUndefined();
  expect(reasons).toEqual([expect.stringContaining(reason)]);
  expect(reasons[0]).toMatch(/^ledger_snapshot_discarded: /);
  expect([heard, alarms]).toEqual([0, []]);
  expect(telling(fold)).toEqual(
    telling(createFold({ keys: ledger.keys, findChanges: findRowChanges })),
  );
}

const relabel = (change: object) => {
  const [label, ...others] = readFileSync(path, 'utf8').split('\n');
  const changed = { ...(JSON.parse(label!) as object), ...change };
  writeFileSync(path, [JSON.stringify(changed), ...others].join('\n'));
};

/** What the made one says, under another label and with another proof. */
async function rewrite(
  change: object,
  prove: (statement: SnapshotStatement) => Promise<Uint8Array>,
  lines = readFileSync(made, 'utf8').split('\n').slice(1, -2),
): Promise<void> {
  const { label } = (await readSnapshot(made))!;
  await writeSnapshot(path, { ...label, ...change }, lines, prove);
}

describe('a party that starts again', () => {
  it('goes on from its snapshot, and knows all that a fold from the genesis knows', async () => {
    const { fold, resumed, alarms, reasons, heard } = await start();
    expect(resumed).toEqual({ seq: at, hash: toHex(rows[at - 1]!.hash) });
    expect(at).toBeGreaterThan(EVERY_ROWS);
    expect(reasons).toEqual([]);
    expect(telling(fold)).toEqual(whole);
    // of what came before, too
    expect(heard).toBe(rows.length);
    expect(alarms.map(({ kind, party }) => [kind, party])).toEqual([['other_history', 3]]);
  });

  it('begins with the genesis where there is none, and says nothing of it', async () => {
    rmSync(path);
    const { resumed, reasons } = await start();
    expect([resumed, reasons]).toEqual([undefined, []]);
  });

  it('writes one of a place behind which nothing can be asked any more, once it can sign', async () => {
    rmSync(path);
    await start({ isSigning: false });
    expect(existsSync(path)).toBe(false);
    const early = rows.slice(0, 3 * STATES_KEPT);
    await start({ rows: early, pinned: pinAt(early.at(-1)!) });
    expect(existsSync(path)).toBe(false);
    await start();
    expect(existsSync(path)).toBe(true);
    expect(rows.length - at).toBeGreaterThan(3 * STATES_KEPT);
  });

  it('goes on from an older one just as well', async () => {
    // party 1 once more, on the ledger as it was before its last changes
    const older = rows.slice(0, rows.length - EVERY_ROWS - 2 * PAGE);
    rmSync(path);
    await start({ rows: older, pinned: pinAt(older.at(-1)!) });
    const { fold, resumed } = await start();
    expect(resumed!.seq).toBeLessThan(at);
    expect(telling(fold)).toEqual(whole);
  });
});

describe('a gateway, which has no key to sign with', () => {
  const [current, next] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const gateway = (...keys: Buffer[]) => sealingAuthor('gateway', createEvidenceKeys(keys));

  it('goes on from the snapshot that it sealed, as a party from its own', async () => {
    rmSync(path);
    await start({ sealing: gateway(current) });
    const { fold, resumed, reasons, heard } = await start({ sealing: gateway(current, next) });
    expect([resumed?.seq, reasons, heard]).toEqual([at, [], rows.length]);
    expect(telling(fold)).toEqual(whole);
  });

  it.each<[string, () => SealingAuthor, () => SealingAuthor]>([
    ['under a key that it does not hold', () => gateway(next), () => gateway(current)],
    ['under a key that seals no longer', () => gateway(current), () => gateway(next, current)],
    [
      'as another node',
      () => sealingAuthor('notifier', createEvidenceKeys([current])),
      () => gateway(current),
    ],
  ])('begins with the genesis where it was sealed %s', async (_how, wrote, reads) => {
    const { messageOf, prove } = wrote();
    await rewrite({ author: 'gateway' }, (statement) => prove(messageOf(statement)));
    await expectDiscarded({ sealing: reads() }, 'its author did not make it');
  });

  it("begins with the genesis where it finds a party's, or what nobody sealed", async () => {
    await expectDiscarded({ sealing: gateway(current) }, "it is another one's");
    relabel({ author: 'gateway' });
    await expectDiscarded({ sealing: gateway(current) }, 'its author did not make it');
    await rewrite({ author: 'gateway' }, async () => Buffer.alloc(3));
    await expectDiscarded({ sealing: gateway(current) }, 'its author did not make it');
  });
});

describe('a snapshot that is', () => {
  it("another party's is discarded, under its own name and under this one's", async () => {
    await expectDiscarded({ party: 2 }, "it is another one's");
    relabel({ author: 'party 2' });
    await expectDiscarded({ party: 2 }, 'its author did not make it');
  });

  it("another vault's is discarded, whatever it calls itself", async () => {
    relabel({ genesis_hash: 'ab'.repeat(32) });
    await expectDiscarded({}, 'it is of another vault');
    await writeOther({ genesisHash: 'ab'.repeat(32) });
    await expectDiscarded({}, 'it is of another vault');
    relabel({ genesis_hash: genesisHash() });
    await expectDiscarded({}, 'its author did not make it');
  });

  /** Party 1's own, with its signature, under another label. */
  const writeOther = (change: object, signer = 'party 1', lines?: string[]) =>
    rewrite(change, (statement) => signAs(signer)(partyAuthor(1).messageOf(statement)), lines);

  it('signed by another key is discarded, and the whole ledger folded instead', async () => {
    await writeOther({}, 'party 2');
    await expectDiscarded({}, 'its author did not make it');
    const { fold, alarms, heard } = await start();
    expect(telling(fold)).toEqual(whole);
    expect([heard, alarms.length]).toEqual([rows.length, 1]);
  });

  it("signed by the key of a genesis that is not the operator's is discarded", async () => {
    const [genesis] = rows;
    const keyOf = (name: string) => rawPublicKey(testPrivateKey(name)).toString('base64');
    const text = Buffer.from(genesis!.body).toString('latin1');
    const body = Buffer.from(text.replace(keyOf('party 1'), keyOf('attacker')), 'latin1');
    expect(body.equals(genesis!.body)).toBe(false);
    await writeOther({}, 'attacker');
    const store = storeOf(rows.with(0, { ...genesis!, body }));
    await expectDiscarded({ store }, 'its author did not make it');
  });

  it("another release's is discarded", async () => {
    await writeOther({ format: '[]' });
    await expectDiscarded({}, 'another release wrote it');
  });

  it('of another place than its label says is discarded', async () => {
    await writeOther({ seq: at + 1, hash: toHex(rows[at]!.hash) });
    await expectDiscarded({}, 'it is of another place than it says');
  });

  it('without what the party keeps in mind is discarded', async () => {
    const text = readFileSync(made, 'utf8').split('\n').slice(1, -2);
    await writeOther({}, 'party 1', ['[]', ...text.slice(1)]);
    await expectDiscarded({}, 'ledger_snapshot_discarded');
  });

  it('cut off anywhere is discarded', async () => {
    const text = readFileSync(made);
    const { length } = text;
    for (const end of [0, 1, 100, 1_000, length >> 1, length - 90, length - 2, length - 1]) {
      writeFileSync(path, text.subarray(0, end));
      await expectDiscarded({}, '');
    }
  });

  it('changed anywhere is discarded', async () => {
    const text = readFileSync(made);
    const { length } = text;
    for (const place of [2, 200, 700, 5_000, length >> 1, length - 95, length - 20, length - 1]) {
      const changed = Buffer.from(text);
      changed[place]! ^= 1;
      writeFileSync(path, changed);
      await expectDiscarded({}, '');
    }
  });

  it('of a place that was never pinned, or pinned as another one, is discarded', async () => {
    const last = rows.slice(0, at - 1).at(-1)!;
    const isNotPinned = 'it is of a place that is not pinned';
    await expectDiscarded({ pinned: undefined }, isNotPinned);
    await expectDiscarded({ pinned: pinAt(last) }, isNotPinned);
    await expectDiscarded(
      { pinned: { ...pinAt(rows[at - 1]!), hash: 'ab'.repeat(32) } },
      isNotPinned,
    );
    await expectDiscarded(
      { pinned: { ...pinAt(rows.at(-1)!), genesisHash: 'ab'.repeat(32) } },
      isNotPinned,
    );
  });

  it('ahead of the ledger that the database shows is discarded', async () => {
    const short = rows.slice(0, at - 1);
    await expectDiscarded({ rows: short }, 'is another one');
  });

  it('of another history than the one that the database shows is discarded', async () => {
    const bodies = rows.map(({ body }) => body).toSpliced(20, 1);
    await expectDiscarded({ rows: rechain(bodies) }, 'is another one');
  });

  it('good is discarded all the same where one of the rows before it is another one', async () => {
    const store = storeOf(rows.with(20, { ...rows[20]!, body: Buffer.from('rewritten') }));
    await expectDiscarded({ store }, 'does not have its hash');
  });

  it('good is not used where the rows cannot be read', async () => {
    const store = { readAfter: () => Promise.reject(new Error('the database is away')) };
    await expectDiscarded({ store }, 'the database is away');
  });
});

describe('the rows before a snapshot', () => {
  const check = (shown: readonly EntryRow[], signal = new AbortController().signal) =>
    checkEarlierHistory({
      ...{ store: storeOf(shown), genesisHash: genesisHash(), signal },
      upTo: { seq: at, hash: toHex(rows[at - 1]!.hash) },
    });

  it('are read, and nothing else, when they are the chain that leads to it', async () => {
    await check(rows);
    await check(rows.slice(0, at));
  });

  it.each<[string, () => readonly EntryRow[], new () => Error]>([
    ['rewritten', () => rows.with(9, { ...rows[9]!, body: Buffer.from('x') }), BrokenChainError],
    ['missing', () => rows.toSpliced(9, 1), BrokenChainError],
    ['cut off', () => rows.slice(0, at - 1), BrokenChainError],
    ['none', () => [], BrokenChainError],
    [
      'another chain',
      () => rechain(rows.map(({ body }) => body).toSpliced(9, 1)),
      BrokenChainError,
    ],
    ['of another vault', () => rechain(rows.slice(1).map(({ body }) => body)), WrongLedgerError],
  ])('are told of when they are %s', async (_what, shown, error) => {
    await expect(check(shown())).rejects.toThrow(error);
  });

  it('are let go of when the node stops', async () => {
    await check([], AbortSignal.abort()).catch((error: unknown) => error);
    await check(rows.with(9, { ...rows[9]!, body: Buffer.from('x') }), AbortSignal.abort());
  });
});
