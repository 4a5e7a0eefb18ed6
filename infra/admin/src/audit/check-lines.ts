/** What some lines of an export show by themselves, and what is left to be compared with others. */
import type { ReceiptTrust } from '@countersign/api/receipt.js';
import type { AuditFault } from './audit-fault.js';
import { checkRecord, type RecordFacts } from './check-record.js';
import { parseExportLine, type LedgerLine } from './export-line.js';

export interface ExportFacts {
  readonly ledger: LedgerLine[];
  readonly records: RecordFacts[];
  readonly faults: AuditFault[];
}

export function noFacts(): ExportFacts {
  return { ledger: [], records: [], faults: [] };
}

/** `text`: whole lines. */
export function checkLines(text: string, trust: ReceiptTrust): ExportFacts {
  const facts = noFacts();
  for (const line of text.split('\n')) if (line !== '') checkLine(line, trust, facts);
  return facts;
}

function checkLine(text: string, trust: ReceiptTrust, facts: ExportFacts): void {
  const line = parseExportLine(text);
  if (line === undefined) {
    const what = 'it is no line of an export with what the hashes cover';
    facts.faults.push({ name: 'line-unreadable', where: text.slice(0, 80), what });
  } else if (line.kind === 'ledger') {
    facts.ledger.push(line);
  } else {
    const checked = checkRecord(line, trust);
    facts.records.push(checked.facts);
    for (const fault of checked.faults) facts.faults.push(fault);
  }
}
