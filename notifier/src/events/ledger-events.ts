/** Events of the ledger: they follow from what the fold made of each entry, on every node the same. */
import type { EventType } from '@countersign/api/webhook-schema.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import type { RowChange } from '@countersign/vault/ledger/row-changes.js';
import { eventId, type VaultEvent } from './vault-event.js';

/** What it is, what it is about (which sets apart two of a type in one entry), and what is told of it. */
type Finding = readonly [type: EventType, about: string, data: Readonly<Record<string, unknown>>];

export function eventsOfOutcome(outcome: EntryOutcome): VaultEvent[] {
  const { hash, at, seq } = outcome;
  const findings = [
    ...requestFindings(outcome),
    ...changeFindings(outcome),
    ...keyFindings(outcome),
  ];
  return findings.map(([type, about, data]) => ({
    id: eventId(type, hash, about),
    type,
    at,
    data,
    source: 'ledger',
    sourceSeq: seq,
  }));
}

/** What the request came to. One whose effect is still to come, as a key's, is told of when that is there. */
function requestFindings(outcome: EntryOutcome): Finding[] {
  const { requestId, actorId, operation, refusal, subject } = outcome;
  if (requestId === undefined || actorId === undefined || operation === undefined) return [];
  const about = { request_id: requestId, operation: operation.id, by: actorId };
  if (refusal !== undefined) {
    return [['request.failed', requestId, { ...about, err_type: refusal.refused }]];
  }
  if (operation.isPending !== undefined || subject === undefined) return [];
  const resource = { type: subject.resourceType, ids: subject.resourceIds };
  return [['request.completed', requestId, { ...about, resource }]];
}

const TYPES_BY_RESOURCE: Readonly<Record<string, EventType>> = {
  admin_policy: 'policy.changed',
  signing_policy: 'policy.changed',
  security_group: 'policy.changed',
  user_group: 'policy.changed',
  system_settings: 'policy.changed',
  webhook: 'webhook.changed',
};

function changeFindings(outcome: EntryOutcome): Finding[] {
  const { requestId, actorId, operation, refusal, subject } = outcome;
  if (refusal !== undefined || operation === undefined || subject === undefined) return [];
  const { action, id } = operation;
  const about = { request_id: requestId, operation: id, by: actorId };
  const resource = { type: subject.resourceType, ids: subject.resourceIds };
  if (action === 'freeze' || action === 'unfreeze') {
    const status = action === 'freeze' ? 'frozen' : 'active';
    return [['freeze.changed', '', { ...about, status, resource }]];
  }
  const type = TYPES_BY_RESOURCE[subject.resourceType];
  return type === undefined ? [] : [[type, '', { ...about, resource }]];
}

/** A key is there when the last party has vouched for it, or never comes when one says so. */
function keyFindings({ changes = [] }: EntryOutcome): Finding[] {
  return changes
    .filter(({ table }) => table === 'keys')
    .flatMap((change): Finding[] => {
      const status = newStatus(change);
      if (status === 'active') return [['key.created', change.id, { key_id: change.id }]];
      if (status === 'failed') return [['key.failed', change.id, { key_id: change.id }]];
      return [];
    });
}

/** Undefined where it stays, and where a key comes back from another state than that of its making. */
function newStatus({ fields }: RowChange): unknown {
  const { status } = fields;
  if (status === undefined || status === 'withheld' || !('to' in status)) return undefined;
  const isMade = [undefined, 'generating', 'importing'].includes(status.from as undefined);
  return isMade ? status.to : undefined;
}
