/**
 * Writes one log line for each signing request of a known caller: its id, how it ended, its key, its parties and how
 * long it took. Parties write such lines as well (`signer/src/signing/signing-log.ts`), and `countersign trace` joins
 * them. No line holds what was signed.
 */
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import { ERR_STATUS } from '@countersign/core/err-status.js';
import type { RecordedOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import type { SigningOperation } from '@countersign/vault/operations/signing-operation.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import type { Dispatcher } from './dispatcher.js';
import { followSubmissions } from './follow-submissions.js';

/**
 * `held`: it waits for approvals. `repeated`: its idempotency key, or the request itself, was used before. `withheld`:
 * two parties signed it, and a freeze came before its caller had it.
 */
export type SigningEnd = 'signed' | 'denied' | 'failed' | 'held' | 'repeated' | 'withheld';

export interface EndedSigning {
  readonly requestId: string;
  readonly outcome: SigningEnd;
  readonly operation: Pick<SigningOperation, 'findTarget'>;
  readonly params: Readonly<Record<string, string>>;
  /** Lead and partner, if two parties decided it. */
  readonly parties?: readonly [number, number] | undefined;
  /** When this gateway received it, ms. */
  readonly since: number;
}

export interface SigningLog {
  note(ended: EndedSigning): void;
  /** The same dispatcher, which also logs how each of its requests ends. Not for probes: they are nobody's. */
  over(dispatcher: Dispatcher): Dispatcher;
}

interface SigningLogDeps {
  readonly logger: Pick<Logger, 'info' | 'isLevelEnabled'>;
  readonly state: () => VaultState;
  readonly now: () => number;
}

export function createSigningLog({ logger, state, now }: SigningLogDeps): SigningLog {
  function note({ requestId, outcome, operation, params, parties, since }: EndedSigning): void {
    if (!logger.isLevelEnabled('info')) return;
    const target = operation.findTarget(state(), params);
    logger.info({
      event: 'signing_ended',
      request_id: requestId,
      outcome,
      ...(!isRefusal(target) && { key_id: target.key.id }),
      ...(parties !== undefined && { parties: parties.join(',') }),
      duration_ms: Math.max(0, now() - since),
    });
  }

  return {
    note,
    over(dispatcher) {
      return followSubmissions(dispatcher, ({ item, asked }, ended) => {
        const { requestId, operation, input } = asked;
        const of = { requestId, operation, params: input.params };
        note({ ...of, ...outcomeOf(ended), since: item.receivedAt });
      });
    },
  };
}

function outcomeOf(ended: RecordedOutcome | undefined): Pick<EndedSigning, 'outcome' | 'parties'> {
  if (ended === undefined) return { outcome: 'failed' };
  return ended.outcome === 'signed'
    ? { outcome: 'signed', parties: ended.receipt.parties }
    : { outcome: 'denied', parties: ended.parties };
}

/** How a request ended that this gateway refused. */
export function endOf({ refused }: Refusal): SigningEnd {
  return ERR_STATUS[refused] < 500 ? 'denied' : 'failed';
}
