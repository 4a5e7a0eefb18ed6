/** Whether the ledger's lines are one log from the genesis on, and whether each entry came to what its line says. */
import { isDeepStrictEqual } from 'node:util';
import { entryHash } from '@countersign/core/entry-hash.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { OTHER_HISTORY } from '@countersign/vault/ledger/party-statement.js';
import { ledgerEntryView } from '@countersign/vault/audit/ledger-entry-view.js';
import type { AuditFault, FaultName } from './audit-fault.js';
import { findChainFaults } from './check-chain.js';
import type { LedgerLine, ToldEntry } from './export-line.js';
import type { LedgerStory } from './ledger-story.js';

/** The entries from the genesis up to the first that does not hold, and why it does not. */
export function soundLedger(
  lines: readonly LedgerLine[],
  genesisHash: string,
): { readonly sound: LedgerLine[]; readonly faults: AuditFault[] } {
  const { faults } = findChainFaults('ledger', 'entry', lines);
  if (lines.length === 0) {
    const what = 'the export has no entry of the ledger: nothing was verified';
    faults.push({ name: 'genesis-missing', where: 'ledger 1', what });
  }
  const sorted = lines.toSorted((a, b) => a.seq - b.seq);
  if (sorted[0]?.seq === 1 && sorted[0].hash !== genesisHash) {
    const what = 'it is not the genesis that the verifier was given';
    faults.push({ name: 'genesis-forged', where: 'ledger 1', what });
  }
  const sound: LedgerLine[] = [];
  for (const line of sorted) {
    const isHashed = hashOf(line) === line.hash;
    if (!isHashed) {
      const what = 'its hash is not that of its contents';
      faults.push({ name: 'entry-edited', where: `ledger ${line.seq}`, what });
    }
    const before = sound.at(-1);
    const follows =
      before === undefined
        ? line.seq === 1 && line.hash === genesisHash
        : line.seq === before.seq + 1 && line.prevHash === before.hash;
    if (isHashed && follows && sound.length === line.seq - 1) sound.push(line);
  }
  return { sound, faults };
}

function hashOf({ seq, prevHash, body }: LedgerLine): string {
  return entryHash(seq, Buffer.from(prevHash, 'hex'), body).toString('hex');
}

export interface VerdictsAsked {
  /** The story has verdicts, and not only statements. */
  readonly isJudged: boolean;
  /** No entry is missing or broken: what judges an entry comes after it. */
  readonly isWhole: boolean;
}

export interface VerdictCheck {
  readonly faults: AuditFault[];
  /** Settled entries at the end, of which the gateway could not know yet. */
  readonly notToldYet: number;
}

/**
 * A gateway takes the rows of its export a moment after it looked how far it had judged them. The last entries may be
 * told as waiting though the rows behind settle them.
 */
const MAX_BEHIND_MS = 60_000;

export function checkVerdicts(
  lines: readonly LedgerLine[],
  story: LedgerStory,
  { isJudged, isWhole }: VerdictsAsked,
): VerdictCheck {
  const faults: AuditFault[] = [];
  const bySeq = new Map(story.outcomes.map((outcome) => [outcome.seq, outcome]));
  // a gateway always knows the genesis, and all entries before one that it tells
  const toldUntil = lines.findLast(({ entry }) => entry !== undefined)?.seq ?? 1;
  const settledUntil = story.outcomes.at(-1)?.listedAt ?? 0;
  let notToldYet = 0;
  for (const { seq, entry } of lines) {
    if (seq > story.seq) break;
    const outcome = bySeq.get(seq);
    if (entry === undefined) {
      if (outcome === undefined) continue;
      const isLate = seq > toldUntil && settledUntil - outcome.listedAt <= MAX_BEHIND_MS;
      if (isLate) notToldYet += 1;
      else faults.push({ name: 'verdict-differs', where: `ledger ${seq}`, what: NOT_WAITING });
      continue;
    }
    if (outcome === undefined && !isWhole) continue;
    const fault =
      outcome === undefined ? waitingFault(entry) : verdictFault(entry, outcome, isJudged);
    if (fault !== undefined)
      faults.push({ name: fault[0], where: `ledger ${seq}`, what: fault[1] });
  }
  if (story.stoppedBy !== undefined) {
    const where = `ledger ${story.seq + 1}`;
    faults.push({ name: 'rules-unknown', where, what: story.stoppedBy });
  }
  return { faults, notToldYet };
}

const NOT_WAITING = 'it is told as waiting, and the ledger has settled it';

function waitingFault({ outcome }: ToldEntry): readonly [FaultName, string] {
  return outcome === undefined
    ? ['verdict-differs', 'it waits, and its line tells more than its place and its record']
    : ['not-countersigned', 'no two parties have countersigned it'];
}

function verdictFault(
  told: ToldEntry,
  outcome: EntryOutcome,
  isJudged: boolean,
): readonly [FaultName, string] | undefined {
  const forged = wordFault(outcome);
  if (forged !== undefined && told.outcome === 'allowed') return forged;
  if (told.outcome === undefined) return ['verdict-differs', 'it is told without an outcome'];
  const expected = ledgerEntryView(outcome);
  if (told.time !== expected.time || !isDeepStrictEqual(wordsOf(told), wordsOf(expected))) {
    return [
      'countersignatures-differ',
      'who countersigned it, when, or under which rules is told otherwise',
    ];
  }
  const isFullyKnown = isJudged || outcome.judgedBy === undefined;
  if (!isFullyKnown || isDeepStrictEqual(told, expected)) return undefined;
  return [
    'verdict-differs',
    `it is told as ${told.outcome}, with details of its own; folded again it is ${expected.outcome}`,
  ];
}

function wordsOf({ details }: ToldEntry): unknown {
  return [details?.['countersigned'], details?.['rules_version']];
}

/** Of a statement that counts for nothing: what is wrong with it. */
export function wordFault({
  kind,
  refusal,
}: EntryOutcome): readonly [FaultName, string] | undefined {
  const isStatement =
    kind === 'countersignature' || kind === 'acknowledgement' || kind === 'anchor';
  if (!isStatement || refusal === undefined) return undefined;
  if (refusal === OTHER_HISTORY) {
    return ['history-rewritten', 'a party signed it for another history of the ledger'];
  }
  if (refusal.refused !== 'unauthorized') return undefined;
  return [kind === 'anchor' ? 'anchor-forged' : 'statement-forged', 'its party did not sign it'];
}
