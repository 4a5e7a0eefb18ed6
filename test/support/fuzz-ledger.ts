/**
 * Ledgers of random entries, each folded twice: followed row by row, now and then out of a saved fold, and whole from the
 * genesis on. What may not happen is a finding: an entry that throws, or two folds that come to two states.
 */
import { toHex } from '@countersign/core/bytes.js';
import { EvidenceSealError, type EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { Refusal } from '@countersign/core/errors.js';
import { ERR_STATUS } from '@countersign/core/err-status.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { type EntryRow } from '@countersign/vault/ledger/entry.js';
import { encodeGenesis } from '@countersign/vault/ledger/write-entry.js';
import { createFold, type Fold } from '@countersign/vault/ledger/fold.js';
import type { Rules } from '@countersign/vault/ledger/judging.js';
import { endsNode } from '@countersign/vault/ledger/refuse-thrown.js';
import { rulesVersion1 } from '@countersign/vault/ledger/rules-version-1.js';
import { readSavedFold, writeSavedFold } from '@countersign/vault/snapshots/saved-fold.js';
import { firstPlaceKept } from '@countersign/vault/ledger/remembered-places.js';
import { stateHash } from '@countersign/vault/state/state-hash.js';
import { nextRow } from './chained-rows.ts';
import { FuzzEntries } from './fuzz-entries.ts';
import { askBefore, tellAfter } from './fuzz-readers.ts';
import { fuzzGenesis } from './fuzz-world.ts';
import { START } from './ledger-builder.ts';
import { randomOf, type Random } from './seeded-random.ts';

/** What should not have happened. The seed makes the same ledger again. */
export interface Finding {
  readonly seed: number;
  /** After which row. */
  readonly seq: number;
  readonly what: string;
}

export interface FuzzReport {
  entries: number;
  ledgers: number;
  readonly findings: Finding[];
  /** How often, by operation or kind of entry and what it came to. */
  readonly outcomes: Map<string, number>;
  /** How often, by what refusals say: ids and numbers left out. */
  readonly reasons: Map<string, number>;
  /** How often a fold went on out of a saved one. */
  resumed: number;
  slowestMs: number;
  slowest: { readonly seed: number; readonly seq: number } | undefined;
}

export function newReport(): FuzzReport {
  return {
    ...{
      entries: 0,
      ledgers: 0,
      findings: [],
      outcomes: new Map(),
      reasons: new Map(),
      resumed: 0,
    },
    ...{ slowestMs: 0, slowest: undefined },
  };
}

/** The next of one seed is not that of the next seed. */
export function ledgerRandom(seed: number): Random {
  return randomOf(Math.imul(seed + 1, 0x9e3779b1) ^ 0x5bd1e995);
}

/** The rules, by which whatever throws is told where it did: in the newest state too, of which no outcome speaks. */
export function watched(rules: Rules, onThrow: (error: unknown) => void): Rules {
  const telling = <Result>(decide: () => Result): Result => {
    try {
      return decide();
    } catch (error) {
      onThrow(error);
      throw error;
    }
  };
  return {
    ...rules,
    judge: (...of) => telling(() => rules.judge(...of)),
    settleDue: (...of) => telling(() => rules.settleDue(...of)),
  };
}

/** Makes and folds the ledger of this seed, of about so many rows, and adds what it came to. */
export function fuzzLedger(
  seed: number,
  size: number,
  report: FuzzReport,
  rules = rulesVersion1,
): void {
  new FuzzRun(seed, report, rules).run(size);
}

/** Operations that were never done, or never refused: a fuzz that does not get there shows nothing about them. */
export function unreached({ outcomes }: FuzzReport): string[] {
  const came = [...outcomes.keys()].map((name) => name.split(': '));
  return rulesVersion1.operations.flatMap(({ id }) => {
    const own = came.filter(([what]) => what === id).map(([, how = '']) => how);
    const isDone = own.some((how) => how === 'done' || how === 'held');
    const isRefused = own.some((how) => /^\d+$/.test(how));
    return [
      ...(isDone ? [] : [`${id}: never done`]),
      ...(isRefused ? [] : [`${id}: never refused`]),
    ];
  });
}

/** One ledger. Its rows are there when it has run. */
export class FuzzRun {
  readonly rows: EntryRow[] = [];
  readonly #seed: number;
  readonly #report: FuzzReport;
  readonly #random: Random;
  readonly #entries: FuzzEntries;
  readonly #rules: readonly Rules[];
  readonly #told: string[] = [];
  #fold: Fold;

  constructor(seed: number, report: FuzzReport, rules: Rules = rulesVersion1) {
    this.#seed = seed;
    this.#report = report;
    this.#random = ledgerRandom(seed);
    this.#entries = new FuzzEntries(this.#random);
    this.#rules = [watched(rules, (error) => this.#find(textOf(error)))];
    this.#fold = this.#newFold();
  }

  get keys(): EvidenceKeys {
    return this.#entries.keys;
  }

  run(size: number): void {
    const { chance, next } = this.#random;
    try {
      this.#append(encodeGenesis(START, fuzzGenesis()));
      // some ledgers have much that waits, and much that one pair of statements judges
      const pace = this.#random.pick([2, 6, 30]);
      while (this.rows.length < size) {
        const { rows } = this;
        for (const body of this.#entries.next({ view: this.#fold.view, rows })) this.#append(body);
        if (next() * pace < 1) {
          const statements = this.#entries.statements({ view: this.#fold.view, rows });
          for (const body of statements) this.#append(body);
        }
        if (chance(0.02)) this.#resume();
      }
      this.#foldWhole();
    } catch (error) {
      if (!(error instanceof TooManyFindings)) this.#find(`out of the fold: ${textOf(error)}`);
    }
    this.#report.ledgers += 1;
    this.#report.entries += this.rows.length;
  }

  #newFold(): Fold {
    return createFold({ keys: this.#entries.keys, rules: this.#rules });
  }

  #append(body: Uint8Array): void {
    const row = nextRow(this.rows.at(-1), body);
    this.rows.push(row);
    if (row.seq > 1 && this.#random.chance(0.05)) {
      this.#read('before', () => askBefore(this.#fold.view, row, this.keys));
    }
    const began = performance.now();
    const outcomes = this.#fold.advance([row]);
    // the newest state is made when it is asked for
    const { optimistic } = this.#random.chance(0.1) ? this.#fold.view : { optimistic: undefined };
    const took = performance.now() - began;
    if (optimistic !== undefined && took > this.#report.slowestMs) {
      this.#report.slowestMs = took;
      this.#report.slowest = { seed: this.#seed, seq: row.seq };
    }
    for (const outcome of outcomes) this.#take(outcome);
  }

  #take(outcome: EntryOutcome): void {
    const { operation, kind, refusal, sealedCredential, fault, decided = [], subject } = outcome;
    this.#told.push(tellingOf(outcome));
    const row = this.rows[outcome.seq - 1]!;
    if (sealedCredential !== undefined && /-user$/.test(operation?.id ?? '')) {
      this.#entries.note(row, sealedCredential);
    }
    const isHeld = subject?.resourceType === 'request' && operation?.action !== 'self';
    this.#count(
      operation?.id ?? kind,
      refusal ? `${ERR_STATUS[refusal.refused]}` : isHeld ? 'held' : 'done',
    );
    this.#read('after', () => tellAfter(this.#fold.view, outcome, this.keys));
    if (refusal !== undefined) {
      add(this.#report.reasons, `${operation?.id ?? kind}: ${reasonOf(refusal)}`);
    }
    if (fault !== undefined) this.#find(`entry ${outcome.seq} cannot be judged: ${fault}`);
    for (const one of decided) {
      this.#count(one.operation.id, one.subject === undefined ? 'failed late' : 'done late');
      if (one.fault !== undefined) {
        this.#find(`request ${one.requestId} cannot be judged: ${one.fault}`);
      }
    }
  }

  #read(when: string, read: () => void): void {
    try {
      read();
    } catch (error) {
      // a seal that does not open is told by its type, to whoever opens
      if (error instanceof EvidenceSealError) return;
      this.#find(`a reader ${when} it: ${textOf(error)}`);
    }
  }

  #count(what: string, came: string): void {
    add(this.#report.outcomes, `${what}: ${came}`);
  }

  /** Goes on as a fold that was read from the text of this one. */
  #resume(): void {
    const saved = this.#fold.save();
    if (saved === undefined) return;
    const { seq } = saved.state;
    const fold = this.#newFold();
    fold.resume(
      readSavedFold([...writeSavedFold(saved)].values()),
      this.rows.slice(firstPlaceKept(seq) - 1, seq),
    );
    this.#fold = fold;
    this.#report.resumed += 1;
  }

  #foldWhole(): void {
    const whole = this.#newFold();
    const told = whole.advance(this.rows).map(tellingOf);
    const other = told.findIndex((text, at) => text !== this.#told[at]);
    if (other >= 0 || told.length !== this.#told.length) {
      this.#find(`outcome ${other} differs: ${told[other]} and ${this.#told[other]}`);
    }
    for (const which of ['state', 'optimistic'] as const) {
      const [one, two] = [this.#fold, whole].map(({ view }) => stateHash(view[which]));
      if (one !== two) this.#find(`the ${which} differs: ${one} and ${two}`);
    }
  }

  #find(what: string): void {
    this.#report.findings.push({ seed: this.#seed, seq: this.rows.length, what });
    if (this.#report.findings.length >= MOST_FINDINGS) throw new TooManyFindings();
  }
}

/** A fault that is met once is met by the thousand. */
const MOST_FINDINGS = 200;

class TooManyFindings extends Error {}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** Without what is the entry's own. */
export function reasonOf({ refused, message }: Refusal): string {
  return `${refused}: ${message.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|\d+|"[^"]*"/g, '#').slice(0, 120)}`;
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no error';
  const places = (error.stack ?? '').split('\n').slice(1, 5);
  return `${endsNode(error) ? 'ends the node: ' : ''}${error.name}: ${error.message} ${places.map((line) => line.trim()).join(' ')}`;
}

function tellingOf(outcome: EntryOutcome): string {
  const { seq, kind, at, listedAt, refusal, fault, actorId, operation, requestId } = outcome;
  const { subject, judgedBy, decided = [], changes = [] } = outcome;
  return JSON.stringify([
    ...[seq, toHex(outcome.hash), kind, at, listedAt, refusal, fault, actorId, operation?.id],
    ...[requestId, subject, judgedBy, changes.length],
    decided.map((one) => [one.requestId, one.operation.id, one.actorId, one.subject, one.fault]),
  ]);
}
