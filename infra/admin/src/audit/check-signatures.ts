/**
 * Whether the records of both parties of each signature agree, whether each request came to one message, and whether the
 * ledger bears the receipt out. A request may have been led more than once, by one party and by another: its message is
 * the same each time.
 */
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import type { AuditFault, FaultName } from './audit-fault.js';
import type { LinksBySeq } from './check-chain.js';
import type { ReceiptPlace, RecordFacts } from './check-record.js';
import type { LedgerStory } from './ledger-story.js';

export interface SignatureCheck {
  readonly faults: AuditFault[];
  /** Requests to whose signatures a party contributed, and that no party has a record of as its lead. */
  readonly withoutLead: readonly string[];
}

export function checkPairs(records: readonly RecordFacts[]): SignatureCheck {
  const byRequest = recordsByRequest(records);
  const faults: AuditFault[] = [];
  const withoutLead: string[] = [];
  for (const [requestId, ofRequest] of byRequest) {
    const contributions = ofRequest.filter(({ signing }) => signing?.outcome === 'contributed');
    for (const record of ofRequest) {
      if (record.signing?.outcome !== 'signed') continue;
      const name = pairFault(record, contributions);
      if (name !== undefined) {
        const what = `its partner's record of request ${requestId} does not bear it out`;
        faults.push({ name, where: placeOf(record), what });
      }
    }
    for (const fault of messageFaults(requestId, ofRequest)) faults.push(fault);
    const isLed = ofRequest.some(({ signing }) => signing?.role === 'lead');
    if (!isLed && contributions.length > 0) withoutLead.push(requestId);
    for (const record of isLed ? contributions : []) {
      if (!record.signing!.isToldLone) continue;
      const what = `it is told as without a lead, whose record of request ${requestId} is there`;
      faults.push({ name: 'record-edited', where: placeOf(record), what });
    }
  }
  return { faults, withoutLead };
}

function recordsByRequest(records: readonly RecordFacts[]): Map<string, RecordFacts[]> {
  const byRequest = new Map<string, RecordFacts[]>();
  for (const record of records) {
    if (record.signing === undefined) continue;
    const known = byRequest.get(record.requestId);
    if (known === undefined) byRequest.set(record.requestId, [record]);
    else known.push(record);
  }
  return byRequest;
}

function pairFault(
  { signing }: RecordFacts,
  contributions: readonly RecordFacts[],
): FaultName | undefined {
  const partner = `party_${signing!.parties.split(',')[1] ?? ''}`;
  const ofPartner = contributions.filter(({ writer }) => writer === partner);
  if (ofPartner.length === 0) return 'partner-record-missing';
  const agrees = ofPartner.some(
    (record) =>
      record.signing!.said === signing!.said && record.signing!.message === signing!.message,
  );
  return agrees ? undefined : 'records-disagree';
}

function messageFaults(requestId: string, ofRequest: readonly RecordFacts[]): AuditFault[] {
  const given = ofRequest.filter(({ signing }) => signing!.outcome !== 'denied');
  const first = given[0]?.signing!.message;
  if (given.every(({ signing }) => signing!.message === first)) return [];
  const name = 'two-messages';
  const signed = given.filter(({ signing }) => signing!.outcome === 'signed');
  const other = otherMessage(signed);
  if (other !== undefined) {
    return [
      { name, where: placeOf(other), what: `another message of request ${requestId} was signed` },
    ];
  }
  const what = `its party gave its part to another message of request ${requestId}`;
  const others = PARTY_NUMBERS.flatMap(
    (party) => otherMessage(given.filter(({ writer }) => writer === `party_${party}`)) ?? [],
  );
  return others.map((record) => ({ name, where: placeOf(record), what }));
}

/** The first record that is of another message than the one before all. */
function otherMessage(records: readonly RecordFacts[]): RecordFacts | undefined {
  return records.find(({ signing }) => signing!.message !== records[0]!.signing!.message);
}

function placeOf({ writer, chain, seq }: RecordFacts): string {
  return `${writer} ${chain} ${seq}`;
}

/** `entries`: of the ledger in the export. */
export function checkPlaces(
  records: readonly RecordFacts[],
  entries: LinksBySeq,
  story: LedgerStory,
): AuditFault[] {
  return records.flatMap((record): AuditFault[] => {
    const { signing } = record;
    if (signing === undefined) return [];
    const where = placeOf(record);
    if (!entries.has(signing.ledgerSeq)) {
      const what = `it was decided over ledger ${signing.ledgerSeq}, which is not there`;
      return [{ name: 'ledger-truncated', where, what }];
    }
    const fault = signing.receipt && receiptFault(signing.receipt, entries, story);
    return fault === undefined ? [] : [{ name: fault[0], where, what: fault[1] }];
  });
}

function receiptFault(
  { seq, hash, rules, rule }: ReceiptPlace,
  entries: LinksBySeq,
  story: LedgerStory,
): [FaultName, string] | undefined {
  if (entries.get(seq)?.hash !== hash) {
    return ['history-rewritten', `its receipt names another entry as ledger ${seq}`];
  }
  if (seq > story.seq) return undefined; // what does not hold there is told already
  if (story.rulesAt(seq) !== rules) {
    return ['receipt-differs', `its receipt names rules that were not in force at ledger ${seq}`];
  }
  if (story.hasRuleAt(seq, rule) === false) {
    return ['rule-not-in-force', `${rule} was not in force at ledger ${seq}`];
  }
  return undefined;
}
