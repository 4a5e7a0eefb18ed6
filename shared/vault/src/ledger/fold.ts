/**
 * Folds ledger rows into the vault's state, checking the chain as it goes. Every node has its own.
 *
 * A change waits until two parties have countersigned it. It is judged where the second agreeing statement covers it,
 * at the time and under the rules that the two name. So it takes two parties to say when something happened. A freeze
 * only takes away: every node obeys it from the moment it is seen, by the optimistic state.
 */
import { asBuffer, toHex } from '@countersign/core/bytes.js';
import { deny } from '@countersign/core/fold-denials.js';
import { refuse, type Refusal } from '@countersign/core/errors.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { Countersignature } from '@countersign/core/party-statements.js';
import { EMPTY_STATE, type VaultState } from '../state/state.js';
import { entryHash } from '@countersign/core/entry-hash.js';
import type { DecidedRequest, EntryFacts, JudgedBy, RowChange } from './entry-outcome.js';
import { genesisState } from './genesis-state.js';
import type { EntryContent, EntryRow } from './entry.js';
import type { LoggedEntry } from './entry-types.js';
import { isFreeze, readEntry } from './logged-entry.js';
import { OutcomeQueue } from './outcome-queue.js';
import {
  areAgreed,
  isStatement,
  refuseForged,
  refuseMisplaced,
  type StatementContent,
} from './party-statement.js';
import type { Rules } from './judging.js';
import { guardRules } from './guard-rules.js';
import { BrokenChainError, UnknownRulesError } from './ledger-errors.js';
import { CANNOT_BE_JUDGED, refuseThrown } from './refuse-thrown.js';
import { firstPlaceKept, rememberPlaces } from './remembered-places.js';
import { RULES } from './rules.js';
import { optimisticOf } from './optimistic-state.js';
import { nextDueAt } from './waiting-rows.js';
import type { FindChanges, Fold, FoldOptions, LedgerView, SavedFold } from './ledger-view.js';

export type * from './ledger-view.js';

/** No more than this is kept waiting, in entries and in bytes: the rest is refused at sight. */
const MAX_PENDING = 10_000;
const MAX_PENDING_BYTES = 64 * 1024 * 1024;

export function createFold(options: FoldOptions): Fold {
  const folding = new Folding(options);
  let view: LedgerView | undefined;
  return {
    get view() {
      return (view ??= folding.snapshot());
    },
    advance(rows) {
      view = undefined;
      for (const row of rows) folding.take(row);
      return folding.outcomes.drain();
    },
    save: () => folding.save(),
    resume(saved, last) {
      checkLast(saved.state, last);
      view = undefined;
      folding.resume(saved, last);
    },
  };
}

class Folding {
  readonly outcomes = new OutcomeQueue();
  /** The state after the newest judged entry; its place is kept apart, in `#seq` and `#headHash`. */
  #state = EMPTY_STATE;
  #seq = 0;
  #headHash = EMPTY_STATE.headHash;
  #pending: LoggedEntry[] = [];
  #pendingBytes = 0;
  #rules: Rules;
  readonly #countersignatures = new Map<PartyNumber, Countersignature>();
  readonly #acknowledged = new Map<PartyNumber, number>();
  readonly #places = rememberPlaces();
  readonly #keys: EvidenceKeys;
  readonly #allRules: readonly Rules[];
  readonly #findChanges: FindChanges;
  /** What took effect by the statement that is being taken: its outcome tells it. */
  #cameDue: CameDue = { decided: [], changes: [] };

  constructor({ keys, rules = RULES, findChanges = () => [] }: FoldOptions) {
    this.#keys = keys;
    this.#findChanges = findChanges;
    this.#allRules = rules.map(guardRules);
    this.#rules = this.#allRules[0]!;
  }

  snapshot(): LedgerView {
    const seq = this.#seq;
    const state = { ...this.#state, seq, headHash: this.#headHash };
    const pending = [...this.#pending];
    const places = this.#places;
    const rules = this.#rules;
    let optimistic: VaultState | undefined;
    return {
      state,
      get optimistic() {
        return (optimistic ??= optimisticOf(state, pending, rules));
      },
      pending,
      countersignatures: new Map(this.#countersignatures),
      acknowledged: new Map(this.#acknowledged),
      rules: rules.version,
      at: (named, hash) => (named <= seq ? places.at(named, hash) : undefined),
      hashAt: (named) => (named <= seq ? places.hashAt(named) : undefined),
    };
  }

  save(): SavedFold | undefined {
    if (this.#pending.length > 0) return undefined;
    const { state, rules, countersignatures, acknowledged } = this.snapshot();
    return { state, rules, countersignatures, acknowledged, toldAt: this.outcomes.toldAt };
  }

  resume(saved: SavedFold, last: readonly EntryRow[]): void {
    const { seq, headHash } = saved.state;
    this.#rules = this.#findRules(saved.rules);
    // as in a fold that came here by itself, the place is kept apart
    this.#state = { ...saved.state, seq: EMPTY_STATE.seq, headHash: EMPTY_STATE.headHash };
    this.#seq = seq;
    this.#headHash = headHash;
    for (const [party, statement] of saved.countersignatures)
      this.#countersignatures.set(party, statement);
    for (const [party, at] of saved.acknowledged) this.#acknowledged.set(party, at);
    this.outcomes.resume(saved.toldAt);
    const place = { state: this.#state, rules: saved.rules };
    for (const row of last) {
      this.#places.add(row.seq, toHex(row.hash), row.seq === seq ? place : undefined);
    }
  }

  take(row: EntryRow): void {
    checkLink(this.#seq, this.#headHash, row);
    const entry = readEntry(row, this.#keys);
    if (row.seq === 1 && entry === undefined) throw new UnknownRulesError(NO_VAULT);
    this.outcomes.expect(row, entry?.content.kind ?? 'unreadable');
    if (entry === undefined) this.#settle(row.seq, { refusal: UNREADABLE });
    else this.#takeEntry(entry);
    this.#seq = row.seq;
    this.#headHash = toHex(row.hash);
    const place = { state: this.#state, rules: this.#rules.version };
    this.#places.add(row.seq, this.#headHash, place);
  }

  #takeEntry(entry: LoggedEntry): void {
    const { seq, content } = entry;
    if (content.kind === 'genesis') this.#takeGenesis(entry, content);
    else if (this.#state.genesisHash === '') this.#settle(seq, { refusal: NO_GENESIS });
    else if (isStatement(content)) this.#takeStatement(seq, content);
    else if (this.#isTooMuch(entry)) this.#settle(seq, { refusal: TOO_MUCH });
    else {
      this.#pending.push(entry);
      this.#pendingBytes += entry.size;
    }
  }

  /** An operator pinned its hash, so nobody else has to judge it. */
  #takeGenesis(entry: LoggedEntry, { genesis }: Extract<EntryContent, { kind: 'genesis' }>): void {
    if (entry.seq !== 1) {
      this.#settle(entry.seq, { refusal: HAS_GENESIS });
      return;
    }
    this.#rules = this.#findRules(genesis.rules_version);
    const { hash, appendedAt: at } = entry;
    this.#state = { ...genesisState(this.#state, genesis, hash, at), time: at };
    this.#settle(entry.seq, {});
  }

  /** A freeze by somebody who may is taken all the same, so that a flood cannot keep it out. */
  #isTooMuch(entry: LoggedEntry): boolean {
    const fits =
      this.#pending.length < MAX_PENDING && this.#pendingBytes + entry.size <= MAX_PENDING_BYTES;
    if (fits) return false;
    const moment = { clock: undefined, at: this.#state.time, place: entry.seq };
    return !isFreeze(entry) || this.#rules.judge(this.#state, entry, moment).state === undefined;
  }

  #takeStatement(seq: number, content: StatementContent): void {
    const looked = refuseThrown<Pick<EntryFacts, 'refusal' | 'fault'>>(
      () => ({ refusal: this.#refuseStatement(seq, content) }),
      (thrown) => ({ refusal: CANNOT_BE_JUDGED, fault: thrown }),
    );
    if (looked.refusal === undefined) this.#obeyStatement(content);
    const isAnchored = looked.refusal === undefined && content.kind === 'anchor';
    const anchored = isAnchored ? content.statement.chains : undefined;
    const facts = { actorId: `party_${content.statement.party}`, ...looked, anchored };
    const { decided, changes, fault } = this.#cameDue;
    this.#cameDue = { decided: [], changes: [] };
    const settled = {
      ...(fault !== undefined && { fault }),
      ...(decided.length > 0 && { decided }),
      ...(changes.length > 0 && { changes }),
    };
    this.#settle(seq, { ...facts, ...settled });
  }

  /** Changes nothing, so that everything stays as it was if this throws. */
  #refuseStatement(seq: number, content: StatementContent): Refusal | undefined {
    const { parties, genesisHash } = this.#state;
    const forged = refuseForged(content, parties, genesisHash);
    if (forged !== undefined || content.kind === 'anchor') return forged;
    const misplaced = refuseMisplaced(content.statement, seq, (at) => this.#places.hashAt(at));
    if (misplaced !== undefined) return misplaced;
    if (!this.#isNewStatement(content)) {
      return refuse('resource_conflict', 'the party has said more');
    }
    const isOutOfUse =
      content.kind === 'countersignature' && content.statement.rules < this.#rules.version;
    return isOutOfUse
      ? refuse('resource_conflict', 'the statement names rules that are out of use')
      : undefined;
  }

  #isNewStatement({ kind, statement }: Exclude<StatementContent, { kind: 'anchor' }>): boolean {
    if (kind === 'acknowledgement') {
      return statement.seq > (this.#acknowledged.get(statement.party) ?? 0);
    }
    const before = this.#countersignatures.get(statement.party);
    // a clock that was ahead and is right again gives an earlier time: the later place in the log counts
    return (
      before === undefined ||
      statement.seq > before.seq ||
      (statement.seq === before.seq && statement.at !== before.at)
    );
  }

  #obeyStatement({ kind, statement }: StatementContent): void {
    if (kind === 'acknowledgement') this.#acknowledged.set(statement.party, statement.seq);
    if (kind !== 'countersignature') return;
    this.#countersignatures.set(statement.party, statement);
    for (const party of PARTY_NUMBERS) {
      const other = this.#countersignatures.get(party);
      // the party that makes the statement may be replaced by what it judges
      if (this.#countersignatures.get(statement.party) !== statement) return;
      if (party === statement.party || other === undefined || !areAgreed(statement, other))
        continue;
      this.#judgeTogether(statement, other);
    }
  }

  /**
   * Judges what both statements cover, at the later of their times. After that, what has come due takes effect. A
   * later pair may name an earlier time than one before it, if clocks were ahead and are right again.
   */
  #judgeTogether(statement: Countersignature, other: Countersignature): void {
    this.#judgeCovered(statement, other);
    // with the earlier time, neither of them alone can bring it forward
    this.#settleDue(Math.min(statement.at, other.at), statement.rules);
  }

  #judgeCovered(statement: Countersignature, other: Countersignature): void {
    const covered = Math.min(statement.seq, other.seq);
    const clock = Math.max(statement.at, other.at);
    const first = this.#pending[0];
    if (first === undefined || first.seq > covered) return;
    this.#rules = this.#findRules(statement.rules);
    const by: JudgedBy = {
      rules: statement.rules,
      countersignatures: [other, statement].map(({ party, at }) => ({ party, at })),
    };
    const end = this.#pending.findIndex(({ seq }) => seq > covered);
    const judged = this.#pending.splice(0, end < 0 ? this.#pending.length : end);
    for (const entry of judged) this.#judge(entry, clock, by);
  }

  /**
   * A change that waits for its time takes effect when two parties say that the time has come. It has no entry of its
   * own.
   */
  #settleDue(bothSay: number, version: number): void {
    const dueAt = nextDueAt(this.#state);
    if (dueAt === undefined || dueAt > bothSay) return;
    const before = this.#state;
    const rules = this.#findRules(version);
    const derive: EvidenceKeys['derive'] = (...of) => this.#keys.derive(...of);
    const optimistic = optimisticOf(before, this.#pending, rules);
    const settlement = rules.settleDue(before, { at: bothSay, optimistic, derive });
    if (settlement === undefined) return;
    if (settlement.fault !== undefined) {
      this.#cameDue.fault ??= settlement.fault;
      return;
    }
    const { decided, ended = [] } = settlement;
    this.#state = { ...settlement.state, time: bothSay };
    this.#cameDue.decided.push(...decided);
    const subject = { resourceType: 'request', resourceIds: ended };
    const { changes, fault } = this.#changesBy(before, this.#state, { decided, subject });
    this.#cameDue.changes.push(...(changes ?? []));
    this.#cameDue.fault ??= fault ?? decided.find((one) => one.fault !== undefined)?.fault;
  }

  #judge(entry: LoggedEntry, at: number, by: JudgedBy): void {
    this.#pendingBytes -= entry.size;
    const before = this.#state;
    const moment = { clock: at, at, place: this.#seq + 1 };
    const { state = before, facts: judged } = this.#rules.judge(before, entry, moment);
    const isChange = state !== before && judged.subject !== undefined;
    const found = isChange ? this.#changesBy(before, state, judged) : {};
    if (state !== before) this.#state = { ...state, time: at };
    if (state.parties !== before.parties) this.#forgetReplaced(before);
    this.outcomes.settle(entry.seq, { facts: { ...judged, ...found }, at, judgedBy: by });
  }

  /** What the old keys of a party stated judges nothing any more. */
  #forgetReplaced({ parties: before }: VaultState): void {
    for (const { party } of this.#state.parties.filter((row) => !before.includes(row))) {
      this.#countersignatures.delete(party);
      this.#acknowledged.delete(party);
    }
  }

  #changesBy(...of: Parameters<FindChanges>): Changes {
    return refuseThrown<Changes>(
      () => ({ changes: this.#findChanges(...of) }),
      (fault) => ({ changes: [], fault }),
    );
  }

  /** An entry that needs no judging gets the time of the one before it. */
  #settle(seq: number, facts: EntryFacts): void {
    this.outcomes.settle(seq, { facts, at: this.#state.time, judgedBy: undefined });
  }

  #findRules(version: number): Rules {
    const rules = this.#allRules.find((one) => one.version === version);
    if (rules === undefined) {
      throw new UnknownRulesError(
        `the ledger is judged by version ${version} of the rules, which this release does not have`,
      );
    }
    return rules;
  }
}

type Changes = Pick<EntryFacts, 'changes' | 'fault'>;

/** Changes that took effect without an entry of their own. */
interface CameDue {
  readonly decided: DecidedRequest[];
  readonly changes: RowChange[];
  fault?: string | undefined;
}

const NO_VAULT =
  'the ledger does not begin with a genesis that this release reads: a vault that was made before release zero is made anew, by `countersign init`';
const UNREADABLE = refuse('parse_error', 'unreadable entry');
const NO_GENESIS = deny('before_genesis');
const HAS_GENESIS = refuse('resource_conflict', 'the vault has its genesis');
const TOO_MUCH = refuse('gateway_timeout', 'too many entries wait for the parties');

/** Throws BrokenChainError for rows that are not the last places before a head, or do not lead to it. */
function checkLast({ seq, headHash }: VaultState, last: readonly EntryRow[]): void {
  const before = last[0] && { seq: last[0].seq - 1, hash: last[0].prevHash };
  if (before?.seq !== firstPlaceKept(seq) - 1) throw new BrokenChainError('rows are missing');
  let head: Pick<EntryRow, 'seq' | 'hash'> = before;
  for (const row of last) {
    checkLink(head.seq, toHex(head.hash), row);
    head = row;
  }
  if (head.seq !== seq || toHex(head.hash) !== headHash) {
    throw new BrokenChainError(`entry ${seq} is another one`);
  }
}

/** Throws BrokenChainError for a row that does not follow this head (hash in hex). */
export function checkLink(seq: number, headHash: string, row: EntryRow): void {
  if (row.seq !== seq + 1) {
    throw new BrokenChainError(`entry ${row.seq} follows entry ${seq}`);
  }
  if (toHex(row.prevHash) !== headHash) {
    throw new BrokenChainError(`entry ${row.seq} does not name the hash of its predecessor`);
  }
  if (!entryHash(row.seq, row.prevHash, row.body).equals(asBuffer(row.hash))) {
    throw new BrokenChainError(`entry ${row.seq} does not have its hash`);
  }
}
