import type { AuditEntryView } from '../service-schema.js';

type Cell = string | number | null | undefined;

const COLUMNS: Readonly<Record<string, (entry: AuditEntryView) => Cell>> = {
  time: (entry) => entry.time,
  chain: (entry) => entry.chain,
  seq: (entry) => entry.seq,
  actor: (entry) => entry.actor,
  action: (entry) => entry.action,
  outcome: (entry) => entry.outcome,
  request_id: (entry) => entry.request_id,
  resource_type: (entry) => entry.resource.type,
  resource_ids: (entry) => entry.resource.ids.join(' '),
  vault_ids: (entry) => entry.resource.vault_ids.join(' '),
  wallet_addresses: (entry) => entry.resource.wallet_addresses.join(' '),
  key_ids: (entry) => entry.resource.key_ids.join(' '),
  user_ids: (entry) => entry.resource.user_ids.join(' '),
  policy_id: (entry) => entry.policy?.id,
  policy_version: (entry) => entry.policy?.version,
  policy_rule_id: (entry) => entry.policy?.rule_id,
  details: (entry) => JSON.stringify(entry.details),
  prev_hash: (entry) => entry.prev_hash,
  hash: (entry) => entry.hash,
};

export const CSV_HEADER = `${Object.keys(COLUMNS).join(',')}\r\n`;

/** One line of RFC 4180. */
export function csvLine(entry: AuditEntryView): string {
  const cells = Object.values(COLUMNS).map((cellOf) => csvCell(String(cellOf(entry) ?? '')));
  return `${cells.join(',')}\r\n`;
}

/** A leading apostrophe makes a cell text that a spreadsheet would read as a formula. */
export function csvCell(text: string): string {
  const isFormula = /^[=+\-@\t\r]/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return isFormula || /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
