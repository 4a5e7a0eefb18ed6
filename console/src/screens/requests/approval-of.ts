import { digestOf } from './request-content.js';
import type { RequestRecord } from './shown-record.js';

/** Names the digest of what is shown, not the one that the record names; and of a signature the rules that ask. */
export function approvalOf(record: RequestRecord): { digest: string; rule_ids?: string[] } {
  const rules = (record.asked_by ?? []).flatMap(({ rule_id: rule }) =>
    rule === undefined ? [] : [rule],
  );
  const digest = digestOf(record) ?? '';
  return rules.length === 0 ? { digest } : { digest, rule_ids: [...new Set(rules)] };
}
