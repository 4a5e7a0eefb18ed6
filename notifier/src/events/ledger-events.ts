/** Events of the ledger: they follow from what the fold made of each entry, on every node the same. */
import type { EventType } from '@countersign/api/requests/webhooks.js';
import type { DecidedRequest, EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import type { Subject } from '@countersign/vault/operations/ledger-operation.js';
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
  const { requestId, actorId, operation, refusal } = outcome;
  const known = requestId !== undefined && actorId !== undefined && operation !== undefined;
  if (known && refusal !== undefined) {
    const about = { request_id: requestId, operation: operation.id, by: actorId };
    return [['request.failed', requestId, { ...about, err_type: refusal.refused }]];
  }
  return [
    ...doneBy(outcome).flatMap(completion),
    ...failedOf(outcome),
    ...waitingFindings(outcome),
  ];
}

/** A change that took effect: its entry's own, or one that had waited for this entry. */
interface Done extends DecidedRequest {
  readonly subject: Subject;
}

type Possible<Fields> = { [Name in keyof Fields]: Fields[Name] | undefined };

function doneBy({
  requestId,
  actorId,
  operation,
  refusal,
  subject,
  decided = [],
}: EntryOutcome): Done[] {
  const acts: Possible<DecidedRequest>[] = [...decided];
  // what was only made to wait is done when somebody decides it
  const isOwnHeld =
    subject?.resourceType === 'request' && subject.resourceIds.includes(requestId ?? '');
  if (refusal === undefined && !isOwnHeld) acts.unshift({ requestId, actorId, operation, subject });
  return acts.filter(
    (act): act is Done =>
      act.requestId !== undefined &&
      act.actorId !== undefined &&
      act.operation !== undefined &&
      act.subject !== undefined,
  );
}

function completion({ requestId, operation, actorId, subject }: Done): Finding[] {
  if (operation.isPending !== undefined) return [];
  const about = { request_id: requestId, operation: operation.id, by: actorId };
  const resource = { type: subject.resourceType, ids: subject.resourceIds };
  return [['request.completed', requestId, { ...about, resource }]];
}

/** Of those that had waited: what came to nothing in the end. */
function failedOf({ decided = [], changes = [] }: EntryOutcome): Finding[] {
  return decided
    .filter(({ subject }) => subject === undefined)
    .map(({ requestId, operation, actorId: by }): Finding => {
      const row = changes.find(({ table, id }) => table === 'pendingRequests' && id === requestId);
      const about = { request_id: requestId, operation: operation.id, by };
      return ['request.failed', requestId, { ...about, err_type: row && changed(row, 'failure') }];
    });
}

const TYPES_BY_STATUS: Readonly<Record<string, EventType>> = {
  waiting: 'request.awaiting_approval',
  rejected: 'request.rejected',
  expired: 'request.expired',
  cancelled: 'request.cancelled',
};

/** Of requests that wait for people, changes and signatures: that they do, and how it ended. */
function waitingFindings({ changes = [], actorId }: EntryOutcome): Finding[] {
  return changes
    .filter(({ table }) => table === 'pendingRequests')
    .flatMap((change): Finding[] => {
      const { status } = change.fields;
      const to = changed(change, 'status');
      const isFromWaiting =
        typeof status === 'object' && 'to' in status && status.from === 'waiting';
      // done, delayed, released, or found wanting: in each case nobody's approval is missing any more
      const type = TYPES_BY_STATUS[String(to)] ?? (isFromWaiting ? 'request.approved' : undefined);
      return to === undefined || type === undefined
        ? []
        : [[type, change.id, aboutWaiting(change, type, actorId)]];
    });
}

function aboutWaiting(change: RowChange, type: EventType, by: string | undefined) {
  const operation = changed(change, 'operation');
  return {
    request_id: change.id,
    ...(operation !== undefined && { operation }),
    // nobody's doing: the time was over
    ...(type !== 'request.expired' && { by }),
  };
}

/** What a field was changed to; undefined where it was not. */
function changed({ fields }: RowChange, name: string): unknown {
  const field = fields[name];
  return typeof field === 'object' && 'to' in field ? field.to : undefined;
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
  return doneBy(outcome).flatMap(({ requestId, actorId, operation, subject }, index): Finding[] => {
    const { action, id } = operation;
    const about = { request_id: requestId, operation: id, by: actorId };
    const resource = { type: subject.resourceType, ids: subject.resourceIds };
    // of several in one entry each is told of
    const which = index === 0 ? '' : requestId;
    if (action === 'freeze' || action === 'unfreeze') {
      const status = action === 'freeze' ? 'frozen' : 'active';
      return [['freeze.changed', which, { ...about, status, resource }]];
    }
    const type = TYPES_BY_RESOURCE[subject.resourceType];
    return type === undefined ? [] : [[type, which, { ...about, resource }]];
  });
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
