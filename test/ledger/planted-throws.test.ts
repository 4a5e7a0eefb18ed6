/**
 * Each place that refuses something is made to throw instead, one after the other, in ledgers that come there: those of
 * random entries, the recorded ones, and scenes for the places that these do not come to. Each throw ends as the one fixed
 * refusal with the state as it was, never out of the fold, and the fuzz finds it. The places are those of the sources.
 */
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import type { EntryRow } from '@countersign/vault/ledger/entry.js';
import type { SavedFold } from '@countersign/vault/ledger/fold.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { placeOfFrame, refusalPlaces } from '../support/refusal-places.ts';

/** Which place throws. While none does, places are noted as they are come to. */
let planted: string | undefined;
const met = new Set<string>();

class PlantedError extends Error {}

/** The place in the code from which `refuse` or `deny` was called. */
function visit(): void {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 4;
  const place = placeOfFrame((new Error('place').stack ?? '').split('\n')[3] ?? '');
  Error.stackTraceLimit = stackTraceLimit;
  if (place === undefined) return;
  if (planted === undefined) met.add(place);
  else if (planted === place) throw new PlantedError('planted');
}

const realErrors = await import('@countersign/core/errors.js');
const realDenials = await import('@countersign/core/fold-denials.js');
jest.unstable_mockModule('@countersign/core/errors.js', () => ({
  ...realErrors,
  refuse: (...of: Parameters<typeof realErrors.refuse>) => {
    visit();
    return realErrors.refuse(...of);
  },
}));
jest.unstable_mockModule('@countersign/core/fold-denials.js', () => ({
  ...realDenials,
  deny: (...of: unknown[]) => {
    visit();
    return (realDenials.deny as (...all: unknown[]) => unknown)(...of);
  },
}));
jest.resetModules();
const { howMany } = await import('../support/how-many.ts');
const { FuzzRun, newReport } = await import('../support/fuzz-ledger.ts');
const { REFUSAL_SCENES } = await import('../support/refusal-scenes.ts');
const { ADDRESS_BOOK_FILE, RECORDED_FILE, recordedRows, SUCCESSION_FILE } =
  await import('../support/recorded-rows.ts');
const { createFold } = await import('@countersign/vault/ledger/fold.js');
const { firstPlaceKept } = await import('@countersign/vault/ledger/remembered-places.js');
const { CANNOT_BE_JUDGED } = await import('@countersign/vault/ledger/refuse-thrown.js');

/** `PLANTED_LEDGERS`: more of them come to more places. */
const LEDGERS = Number(process.env['PLANTED_LEDGERS'] ?? howMany(4));
const ROWS = 1_000;
/** Of so many rows behind an entry some are statements by which it is judged. */
const JUDGED_WITHIN = 200;

interface Ledger {
  readonly rows: readonly EntryRow[];
  readonly keys: EvidenceKeys;
  /** Of a ledger of random entries. */
  readonly seed?: number;
}

/** A ledger, up to the row at which it first comes to a place. */
interface Way {
  readonly ledger: Ledger;
  readonly seq: number;
  /** Where the fold stood before that row: the last place at which nothing waited. */
  readonly saved: SavedFold | undefined;
}

/** By place. What is refused once and for all when a module is loaded has no place here. */
const ways = new Map<string, Way>();

function* ledgers(): Generator<Ledger> {
  for (let seed = 1; seed <= LEDGERS; seed += 1) {
    const run = new FuzzRun(seed, newReport());
    run.run(ROWS);
    yield { rows: run.rows, keys: run.keys, seed };
  }
  for (const file of [RECORDED_FILE, SUCCESSION_FILE, ADDRESS_BOOK_FILE]) yield recordedRows(file);
  for (const tell of REFUSAL_SCENES) {
    const { rows, keys } = tell();
    yield { rows, keys };
  }
}

function walk(ledger: Ledger): void {
  const fold = createFold({ keys: ledger.keys });
  let saved: SavedFold | undefined;
  for (const row of ledger.rows) {
    met.clear();
    fold.advance([row]);
    for (const place of met) {
      if (!ways.has(place)) ways.set(place, { ledger, seq: row.seq, saved });
    }
    saved = fold.save() ?? saved;
  }
}

beforeAll(() => {
  for (const ledger of ledgers()) walk(ledger);
}, 600_000);

function whilePlanted<Result>(place: string, act: () => Result): Result {
  planted = place;
  try {
    return act();
  } finally {
    planted = undefined;
  }
}

/**
 * What could not be judged while the place throws: up to the row that comes there, and on until it is told, which may take
 * until what stands before it is judged. No row before it comes to the place, so the fold begins where it was saved.
 */
function faultsOf(place: string, { ledger, seq, saved }: Way): EntryOutcome[] {
  const { rows } = ledger;
  const fold = createFold({ keys: ledger.keys });
  const from = saved?.state.seq ?? 0;
  if (saved !== undefined) fold.resume(saved, rows.slice(firstPlaceKept(from) - 1, from));
  return whilePlanted(place, () => {
    let found = fold.advance(rows.slice(from, seq)).filter(isFaulty);
    for (let at = seq; found.length === 0 && at < rows.length; at += 20) {
      found = fold.advance(rows.slice(at, at + 20)).filter(isFaulty);
    }
    return found;
  });
}

function isFaulty({ fault, decided = [] }: EntryOutcome): boolean {
  return fault !== undefined || decided.some((one) => one.fault !== undefined);
}

/** An entry that cannot be judged; what came due with a statement is told with that statement. */
function isAsItWas({ kind, refusal, fault, changes, subject }: EntryOutcome): boolean {
  const isOther = fault === undefined || kind === 'countersignature';
  return (
    isOther || (refusal === CANNOT_BE_JUDGED && changes === undefined && subject === undefined)
  );
}

describe('a refusal that throws instead', () => {
  it('is any that the sources have', () => {
    const places = refusalPlaces();
    expect(places.length).toBeGreaterThan(130);
    const missed = places.filter((place) => !ways.has(place));
    // fewer ledgers come to fewer places
    expect(LEDGERS < 4 ? missed.slice(30) : missed).toEqual([]);
    expect([...ways.keys()].filter((place) => !places.includes(place))).toEqual([]);
  });

  it('ends as a refusal of its entry, wherever it is', () => {
    const escaped: string[] = [];
    const unseen: string[] = [];
    for (const [place, way] of ways) {
      try {
        const faults = faultsOf(place, way);
        if (faults.length === 0) unseen.push(place);
        expect(faults.filter((outcome) => !isAsItWas(outcome))).toEqual([]);
      } catch (error) {
        if (!(error instanceof PlantedError)) throw error;
        escaped.push(place);
      }
    }
    expect(escaped).toEqual([]);
    expect(unseen).toEqual([]);
  }, 600_000);

  it('is a finding of the fuzz', () => {
    const random = [...ways].filter(([, { ledger }]) => ledger.seed !== undefined);
    for (const [place, { ledger, seq }] of random.filter((_way, at) => at % 20 === 0)) {
      const seed = ledger.seed!;
      const report = newReport();
      whilePlanted(place, () => new FuzzRun(seed, report).run(seq + JUDGED_WITHIN));
      expect(report.findings.length).toBeGreaterThan(0);
    }
  }, 600_000);
});
