/** What an authenticated message of another party is for. */
import type { Bytes } from '@countersign/core/bytes.js';
import type { Replica } from '@countersign/runtime/jobs/replica.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { decodeMessage, type PartyMessage } from '../channel/messages.js';
import type { BorrowedCommitments } from './borrowed-commitments.js';
import type { CommitmentLender } from './commitment-lender.js';
import type { VouchMessage } from '../party/head-trust.js';
import type { GivenContributions } from './given-contributions.js';
import type { LeadInbox } from './lead-inbox.js';

type CeremonyMessage = Extract<PartyMessage, { kind: 'ceremony' }>;

export interface PartyMessageReceivers {
  readonly self: Replica;
  readonly lender: CommitmentLender;
  readonly borrowed: Pick<BorrowedCommitments, 'receive'>;
  readonly inbox: Pick<LeadInbox, 'addContribution'>;
  readonly given: Pick<GivenContributions, 'finish'>;
  readonly vouching: { receive(from: Replica, message: VouchMessage): void };
  readonly ceremonies: { receive(from: Replica, message: CeremonyMessage): void };
  readonly logger: Logger;
  send(to: Replica, message: PartyMessage): Promise<void>;
}

/** `bytes`: a message as `encodeMessage` makes it. Throws RangeError on malformed bytes. */
export function dispatchPartyMessage(
  receivers: PartyMessageReceivers,
  from: Replica,
  bytes: Bytes,
): void {
  const message = decodeMessage(bytes);
  const isVouching = message.kind === 'vouch-request' || message.kind === 'vouch';
  if (isVouching !== (from.party === receivers.self.party)) {
    throw new RangeError('not a message for replicas of one party, or for them alone');
  }
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
      receivers.inbox.addContribution(from, message.batchId, message);
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

async function lend(
  { lender, send }: PartyMessageReceivers,
  to: Replica,
  { token, count }: { readonly token: number; readonly count: number },
): Promise<void> {
  const commitments = await lender.lend(count);
  await send(to, { kind: 'commitments', token, commitments });
}
