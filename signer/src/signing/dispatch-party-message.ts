/** Hands each authenticated message of another replica to its receiver. */
import type { Bytes } from '@countersign/core/bytes.js';
import type { Alarms } from '@countersign/runtime/alarms/alarms.js';
import type { Replica } from '@countersign/runtime/jobs/replica.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import type { MessageQuotas } from '../channel/message-quotas.js';
import {
  decodeMessage,
  kindOf,
  type Contribution,
  type PartyMessage,
} from '../channel/messages.js';
import type { BorrowedCommitments } from './borrowed-commitments.js';
import type { CommitmentLender } from './commitment-lender.js';
import type { VouchMessage } from '../party/head-trust.js';
import type { GivenContributions } from './given-contributions.js';
import type { LeadInbox } from './lead-inbox.js';

type CeremonyMessage = Extract<PartyMessage, { kind: 'ceremony' }>;

export interface PartyMessageReceivers {
  readonly self: Replica;
  readonly quotas: MessageQuotas;
  readonly lender: Pick<CommitmentLender, 'lend'>;
  readonly borrowed: Pick<BorrowedCommitments, 'receive'>;
  readonly inbox: Pick<LeadInbox<Contribution>, 'addContribution'>;
  readonly given: Pick<GivenContributions, 'finish'>;
  readonly vouching: { receive(from: Replica, message: VouchMessage): void };
  readonly ceremonies: { receive(from: Replica, message: CeremonyMessage): void };
  /** Told of every message that no honest party sends. */
  readonly alarms: Alarms;
  readonly logger: Logger;
  send(to: Replica, message: PartyMessage): Promise<void>;
}

/**
 * `bytes`: as `encodeMessage` makes them. Drops a message beyond its sender's quota unread. Drops a message that no
 * honest party sends, and names its sender in an alarm.
 */
export function dispatchPartyMessage(
  receivers: PartyMessageReceivers,
  from: Replica,
  bytes: Bytes,
): void {
  const kind = kindOf(bytes);
  if (kind !== undefined && !receivers.quotas.admit(from.party, kind, bytes.length)) return;
  const message = readMessage(receivers, from, bytes);
  if (message === undefined) return;
  switch (message.kind) {
    case 'need-commitments':
      lend(receivers, from, message).catch((error: unknown) =>
        receivers.logger.warn(
          { event: 'lend_failed', reason: String(error) },
          'no commitments lent',
        ),
      );
      return;
    case 'commitments':
      receivers.borrowed.receive(from, message.token, message.commitments);
      return;
    case 'contribution':
      receivers.inbox.addContribution(from, message.batchId, message, bytes.length);
      return;
    case 'finished':
      receivers.given.finish(from, message.batchId);
      return;
    case 'vouch-request':
    case 'vouch':
      receivers.vouching.receive(from, message);
      return;
    case 'ceremony':
      receivers.ceremonies.receive(from, message);
  }
}

/** Returns undefined for a message that no honest party sends to this replica. */
function readMessage(
  { self, alarms }: PartyMessageReceivers,
  from: Replica,
  bytes: Bytes,
): PartyMessage | undefined {
  try {
    const message = decodeMessage(bytes);
    const isVouching = message.kind === 'vouch-request' || message.kind === 'vouch';
    if (isVouching === (from.party === self.party)) return message;
    throw new RangeError('not a message for replicas of one party, or for them alone');
  } catch (error) {
    const reason = `a message that no party sends: ${String(error)}`;
    alarms.raise({ kind: 'party_misbehaved', party: from.party, reason });
    return undefined;
  }
}

/** A request that is lent nothing gets no reply. */
async function lend(
  { lender, send }: PartyMessageReceivers,
  to: Replica,
  { token, count }: { readonly token: number; readonly count: number },
): Promise<void> {
  const commitments = await lender.lend(to, count);
  if (commitments.length > 0) await send(to, { kind: 'commitments', token, commitments });
}
