/** ArcSight Common Event Format, version 0 (Micro Focus Security ArcSight Common Event Format, revision 25). */
import { VERSION } from '../operations/service.js';
import type { AuditEntryView } from '../service-schema.js';
import { oneLine } from './audit-syslog.js';

/** 0 to 10. */
const SEVERITIES = { allowed: 1, denied: 6, failed: 5 } as const;

/** One event, ending with a line feed and holding no other. */
export function cefLine(entry: AuditEntryView): string {
  const { action, outcome } = entry;
  const header = ['CEF:0', 'Countersign', 'countersign', VERSION, action, `${action} ${outcome}`];
  const fields = [...header, String(SEVERITIES[outcome])].map(cefHeader);
  return `${fields.join('|')}|${extension(entry)}\n`;
}

function extension({ resource, policy, ...entry }: AuditEntryView): string {
  const { ids, vault_ids: vaults, key_ids: keys, user_ids: users } = resource;
  const values: readonly (readonly [string, string | number | null | undefined])[] = [
    ['rt', Date.parse(entry.time)],
    ['suid', entry.actor],
    ['act', entry.action],
    ['outcome', entry.outcome],
    ['externalId', entry.request_id],
    ...custom('cs', 1, 'chain', entry.chain),
    ...custom('cn', 1, 'seq', entry.seq),
    ...custom('cs', 2, 'hash', entry.hash),
    ...custom('cs', 3, 'prevHash', entry.prev_hash),
    ...custom('cs', 4, 'resource', [resource.type, ...ids].join(' ')),
    ...custom(
      'cs',
      5,
      'about',
      [...vaults, ...resource.wallet_addresses, ...keys, ...users].join(' '),
    ),
    ...custom('cs', 6, 'policy', policyText(policy)),
    ['msg', JSON.stringify(entry.details)],
  ];
  return values
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => `${name}=${cefValue(String(value))}`)
    .join(' ');
}

/** A field that has a label of its own; both are absent together. */
function custom(
  kind: 'cs' | 'cn',
  number: number,
  label: string,
  value: string | number | undefined,
): (readonly [string, string | number | undefined])[] {
  const isAbsent = value === undefined || value === '';
  return [
    [`${kind}${number}Label`, isAbsent ? undefined : label],
    [`${kind}${number}`, value],
  ];
}

function policyText(policy: AuditEntryView['policy']): string | undefined {
  if (policy === undefined) return undefined;
  const rule = policy.rule_id === undefined ? '' : ` rule ${policy.rule_id}`;
  return `${policy.id} version ${policy.version}${rule}`;
}

/** Pipes and backslashes are escaped; there are no line breaks in a header. */
export function cefHeader(text: string): string {
  return oneLine(text).replaceAll(/[|\\]/g, (character) => `\\${character}`);
}

/** Equal signs and backslashes are escaped; pipes are not. */
export function cefValue(text: string): string {
  return oneLine(text).replaceAll(/[=\\]/g, (character) => `\\${character}`);
}
