import type { AuditEntryView } from '../service-schema.js';

/** RFC 5424, 6.2.1: facility 13, log audit. */
const FACILITY = 13;
/** Informational, warning, error. */
const SEVERITIES = { allowed: 6, denied: 4, failed: 3 } as const;
/** The private enterprise number for documentation (RFC 5612): the vault's makers have no own number. */
const ELEMENT = 'countersign@32473';

/**
 * One message of RFC 5424, with the members of the entry as structured data and `details` as JSON. It ends with a line
 * feed, and holds no other: a line feed ends a message on a stream (RFC 6587, 3.4.2).
 */
export function syslogLine(entry: AuditEntryView): string {
  const priority = FACILITY * 8 + SEVERITIES[entry.outcome];
  const header = `<${priority}>1 ${printable(entry.time, 32)} - countersign - ${printable(entry.action, 32)}`;
  return `${header} [${ELEMENT} ${parameters(entry)}]\n`;
}

function parameters({ resource, policy, ...entry }: AuditEntryView): string {
  const values: Readonly<Record<string, string | number | null | undefined>> = {
    chain: entry.chain,
    seq: entry.seq,
    actor: entry.actor,
    action: entry.action,
    outcome: entry.outcome,
    requestId: entry.request_id,
    resourceType: resource.type,
    resourceIds: resource.ids.join(' '),
    vaultIds: resource.vault_ids.join(' '),
    walletAddresses: resource.wallet_addresses.join(' '),
    keyIds: resource.key_ids.join(' '),
    userIds: resource.user_ids.join(' '),
    policyId: policy?.id,
    policyVersion: policy?.version,
    policyRuleId: policy?.rule_id,
    details: JSON.stringify(entry.details),
    prevHash: entry.prev_hash,
    hash: entry.hash,
  };
  return Object.entries(values)
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => `${name}="${parameterValue(String(value))}"`)
    .join(' ');
}

/** Escapes three characters and no others (RFC 5424, 6.3.3). */
export function parameterValue(text: string): string {
  return oneLine(text).replaceAll(/["\\\]]/g, (character) => `\\${character}`);
}

/** A header field: PRINTUSASCII, never empty. */
function printable(text: string, max: number): string {
  return text.replaceAll(/[^!-~]/g, '_').slice(0, max) || '-';
}

/** Replaces by spaces all characters that a reader of lines could take for a line end. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu, ' ');
}
