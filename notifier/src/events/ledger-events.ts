/** Events of the ledger. They follow from the outcome of each entry in the fold, so every node finds the same. */
import type { EventType } from '@countersign/api/requests/webhooks.js';
import type {
  DecidedRequest,
  EntryOutcome,
  RowChange,
} from '@countersign/vault/ledger/entry-outcome.js';
import { makesKeys } from '@countersign/vault/operations/key-work.js';
import type { Subject } from '@countersign/vault/operations/ledger-operation.js';
import { eventId, type VaultEvent } from './vault-event.js';

/** Its type, its subject (which distinguishes two of a type in one entry), and its data. */
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

/** How the request ended. A change that takes effect later, as a key's, is reported then. */
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

/** A change that took effect: the entry's own, or one that had waited for it. */
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
  // a change that had to wait is done when somebody decides it
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
  if (makesKeys(operation)) return [];
  const about = { request_id: requestId, operation: operation.id, by: actorId };
  const resource = { type: subject.resourceType, ids: subject.resourceIds };
  return [['request.completed', requestId, { ...about, resource }]];
}

/** Waiting requests that failed in the end. */
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

/** Requests, for changes and signatures, that began to wait for people, or stopped waiting. */
function waitingFindings({ changes = [], actorId }: EntryOutcome): Finding[] {
  return changes
    .filter(({ table }) => table === 'pendingRequests')
    .flatMap((change): Finding[] => {
      const { status } = change.fields;
      const to = changed(change, 'status');
      const isFromWaiting =
        typeof status === 'object' && 'to' in status && status.from === 'waiting';
      // done, delayed, released or failed: in each case no approval is missing any more
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
    // nobody did it: the time was over
    ...(type !== 'request.expired' && { by }),
  };
}

/** The new value of a field; undefined if it did not change. */
function changed({ fields }: RowChange, name: string): unknown {
  const field = fields[name];
  return typeof field === 'object' && 'to' in field ? field.to : undefined;
}

const TYPES_BY_RESOURCE: Readonly<Record<string, EventType>> = {
  admin_policy: 'policy.changed',
  signing_policy: 'policy.changed',
  address_list: 'policy.changed',
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
    // an entry may have several: each is reported
    const which = index === 0 ? '' : requestId;
    if (action === 'freeze' || action === 'unfreeze') {
      const status = action === 'freeze' ? 'frozen' : 'active';
      return [['freeze.changed', which, { ...about, status, resource }]];
    }
    const type = TYPES_BY_RESOURCE[subject.resourceType];
    return type === undefined ? [] : [[type, which, { ...about, resource }]];
  });
}

/** A key exists when the last party has attested it, and has failed when one party says so. */
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

/** Undefined if it did not change, and if the key comes from another state than that of its making. */
function newStatus({ fields }: RowChange): unknown {
  const { status } = fields;
  if (status === undefined || status === 'withheld' || !('to' in status)) return undefined;
  const isMade = [undefined, 'generating', 'importing'].includes(status.from as undefined);
  return isMade ? status.to : undefined;
}
