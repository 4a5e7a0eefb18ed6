/** All that can be said of an export, from what its lines show: pure, and in whatever order the lines came. */
import { timeView } from '@countersign/api/common-schema.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import type { AuditFault, FaultName } from './audit-fault.js';
import { checkAnchors } from './check-anchors.js';
import { findChainFaults, type LinksBySeq } from './check-chain.js';
import { checkVerdicts, soundLedger, wordFault } from './check-ledger.js';
import type { ExportFacts } from './check-lines.js';
import type { RecordFacts, TrustedGenesis } from './check-record.js';
import { checkReceipts, type MissingReceipts } from './check-receipts.js';
import { checkPairs, checkPlaces } from './check-signatures.js';
import type { LedgerLine } from './export-line.js';
import { tellLedger, type LedgerStory } from './ledger-story.js';

export interface VerifyOptions extends TrustedGenesis {
  /** Without it entries are not judged again. */
  readonly evidenceKeys?: EvidenceKeys | undefined;
  /** An entry that somebody noted earlier: the export must have it. */
  /** ms. What is younger than some days has its receipt. */
  readonly now: number;
  readonly knownHead?: { readonly seq: number; readonly hash: string } | undefined;
}

export interface AuditReport {
  readonly verified: boolean;
  /** Whether every verdict was judged again, for which the evidence key is needed. */
  readonly verdicts_judged_again: boolean;
  /** Of the ledger. */
  readonly entries: number;
  readonly head: { readonly seq: number; readonly hash: string } | null;
  /** Entries that two parties have judged. */
  readonly changes: number;
  /** Entries that wait for two parties. */
  readonly waiting: number;
  /** Entries at the end that were judged while the export was made: their lines say nothing of it. */
  readonly not_told_yet: number;
  readonly records: number;
  readonly receipts: number;
  /** No fault of the export: whoever removed old requests knows whether these are his. */
  readonly receipts_missing: MissingReceipts;
  readonly contributions_without_lead: readonly string[];
  readonly anchored: readonly AnchoredUntil[];
  readonly faults: readonly AuditFault[];
  readonly more_faults: number;
  /** What somebody tried, and what every fold refused: no fault of the export. */
  readonly refused_words: readonly AuditFault[];
}

export interface AnchoredUntil {
  readonly party: PartyNumber;
  /** When the party anchored last; null: never. */
  readonly anchored_at: string | null;
  readonly records: number;
  /** Records after the anchors: what holds them is their chain alone. */
  readonly not_anchored: number;
  readonly not_anchored_since: string | null;
}

/** Of each kind, so that none pushes out another. */
const MAX_TOLD = 1_000;

export function verifyFacts(facts: ExportFacts, options: VerifyOptions): AuditReport {
  const { sound, faults: ledgerFaults } = soundLedger(facts.ledger, options.genesisHash);
  const story = tellLedger(sound, options.evidenceKeys);
  const isJudged = options.evidenceKeys !== undefined;
  const entries = new Map(facts.ledger.map((line) => [line.seq, line]));
  const chains = checkChains(facts.records);
  const pairs = checkPairs(facts.records);
  const anchors = PARTY_NUMBERS.map((party) =>
    checkParty(party, facts.records, story.outcomes, chains.byWriter),
  );
  const isWhole = ledgerFaults.length === 0;
  const verdicts = checkVerdicts(sound, story, { isJudged, isWhole });
  const receipts = checkReceipts(facts.records, options.now);
  const faults = [
    ...facts.faults,
    ...ledgerFaults,
    ...knownHeadFaults(options, entries),
    ...verdicts.faults,
    ...chains.faults,
    ...anchors.flatMap((one) => one.faults),
    ...pairs.faults,
    ...receipts.faults,
    ...checkPlaces(facts.records, entries, story),
  ];
  const told = firstOfEachKind(faults);
  return {
    verified: faults.length === 0,
    verdicts_judged_again: isJudged,
    ...countsOf(facts, sound, story),
    not_told_yet: verdicts.notToldYet,
    receipts_missing: receipts.missing,
    contributions_without_lead: pairs.withoutLead.slice(0, MAX_TOLD),
    anchored: anchors.map((one) => one.until),
    faults: told,
    more_faults: faults.length - told.length,
    refused_words: firstOfEachKind(refusedWords(story.outcomes)),
  };
}

function firstOfEachKind(faults: readonly AuditFault[]): AuditFault[] {
  const counts = new Map<FaultName, number>();
  return faults.filter(({ name }) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count <= MAX_TOLD;
  });
}

function countsOf(
  { ledger, records }: ExportFacts,
  sound: readonly LedgerLine[],
  story: LedgerStory,
) {
  const last = sound.at(-1);
  return {
    entries: ledger.length,
    head: last === undefined ? null : { seq: last.seq, hash: last.hash },
    changes: story.outcomes.filter(({ judgedBy }) => judgedBy !== undefined).length,
    waiting: sound.length - story.outcomes.length,
    records: records.length,
    receipts: records.filter(({ signing }) => signing?.receipt !== undefined).length,
  };
}

function knownHeadFaults(
  { knownHead }: VerifyOptions,
  entries: ReadonlyMap<number, { readonly hash: string }>,
): AuditFault[] {
  if (knownHead === undefined) return [];
  const where = `ledger ${knownHead.seq}`;
  const entry = entries.get(knownHead.seq);
  if (entry === undefined) {
    return [
      { name: 'ledger-truncated', where, what: 'the follower had it, and the export lacks it' },
    ];
  }
  const what = 'the follower had another one in its place';
  return entry.hash === knownHead.hash ? [] : [{ name: 'history-rewritten', where, what }];
}

type ChainsByWriter = ReadonlyMap<string, ReadonlyMap<string, LinksBySeq>>;

function checkChains(records: readonly RecordFacts[]): {
  readonly faults: AuditFault[];
  readonly byWriter: ChainsByWriter;
} {
  const writers = new Map<string, Map<string, RecordFacts[]>>();
  for (const record of records) {
    const ofWriter = writers.get(record.writer) ?? new Map<string, RecordFacts[]>();
    const chain = ofWriter.get(record.chain) ?? [];
    writers.set(record.writer, ofWriter.set(record.chain, chain));
    chain.push(record);
  }
  const faults: AuditFault[] = [];
  const byWriter = new Map<string, Map<string, LinksBySeq>>();
  for (const [writer, chains] of writers) {
    const checked = new Map<string, LinksBySeq>();
    for (const [chain, links] of chains) {
      const { faults: found, bySeq } = findChainFaults(`${writer} ${chain}`, 'record', links);
      for (const fault of found) faults.push(fault);
      checked.set(chain, bySeq);
    }
    byWriter.set(writer, checked);
  }
  return { faults, byWriter };
}

function checkParty(
  party: PartyNumber,
  records: readonly RecordFacts[],
  outcomes: readonly EntryOutcome[],
  byWriter: ChainsByWriter,
): { readonly faults: AuditFault[]; readonly until: AnchoredUntil } {
  const writer = `party_${party}`;
  const { faults, anchored, at } = checkAnchors(party, outcomes, byWriter.get(writer) ?? new Map());
  const ofParty = records.filter((record) => record.writer === writer);
  const after = ofParty.filter(({ chain, seq }) => seq > (anchored.get(chain) ?? 0));
  const since = after.reduce((oldest, record) => Math.min(oldest, record.at), Infinity);
  return {
    faults,
    until: {
      party,
      anchored_at: at === undefined ? null : timeView(at),
      records: ofParty.length,
      not_anchored: after.length,
      not_anchored_since: after.length === 0 ? null : timeView(since),
    },
  };
}

function refusedWords(outcomes: readonly EntryOutcome[]): AuditFault[] {
  return outcomes.flatMap((outcome) => {
    const fault = wordFault(outcome);
    const where = `ledger ${outcome.seq}`;
    return fault === undefined ? [] : [{ name: fault[0], where, what: fault[1] }];
  });
}
