/** How much a party may say to this replica, whatever it says and through however many replicas of its own. */
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import type { Alarms } from '@countersign/runtime/alarms/alarms.js';
import type { PartyMessage } from './messages.js';
import { TokenBucket } from '@countersign/runtime/process/token-bucket.js';

type Kind = PartyMessage['kind'];

/** Each second, and at once. */
interface Quota {
  readonly messages: readonly [perSecond: number, atOnce: number];
  readonly bytes: readonly [perSecond: number, atOnce: number];
}

const KIB = 1_024;
const MIB = 1_048_576;

/**
 * These are several times what a busy party with many replicas says. A lead takes some hundred batches a second. A
 * replica asks for commitments every 128 signatures, or four times a second in vain, and says a few words of a ceremony
 * a second, of 50 KiB at most.
 */
const QUOTAS: Readonly<Record<Kind, Quota>> = {
  'need-commitments': { messages: [64, 256], bytes: [4 * KIB, 16 * KIB] },
  commitments: { messages: [64, 256], bytes: [2 * MIB, 8 * MIB] },
  contribution: { messages: [1_000, 2_000], bytes: [8 * MIB, 16 * MIB] },
  finished: { messages: [1_000, 2_000], bytes: [64 * KIB, 128 * KIB] },
  'vouch-request': { messages: [500, 1_000], bytes: [32 * KIB, 64 * KIB] },
  vouch: { messages: [500, 1_000], bytes: [64 * KIB, 128 * KIB] },
  ceremony: { messages: [1_000, 2_000], bytes: [4 * MIB, 16 * MIB] },
};

export interface MessageQuotas {
  /** Whether a message of so many bytes is taken; if not, its party is named in an alarm. */
  admit(party: PartyNumber, kind: Kind, bytes: number): boolean;
}

/** `now`: ms. Every message beyond a quota raises an alarm. */
export function createMessageQuotas(alarms: Alarms, now: () => number): MessageQuotas {
  const bucket = ([perSecond, capacity]: Quota['messages']) =>
    new TokenBucket({ capacity, perSecond }, now);
  const buckets = new Map(
    PARTY_NUMBERS.flatMap((party) =>
      Object.entries(QUOTAS).map(([kind, { messages, bytes }]) => [
        `${party} ${kind}`,
        { messages: bucket(messages), bytes: bucket(bytes) },
      ]),
    ),
  );
  return {
    admit(party, kind, length) {
      const { messages, bytes } = buckets.get(`${party} ${kind}`)!;
      if (messages.tryTake(1) && bytes.tryTake(length)) return true;
      alarms.raise({
        kind: 'party_floods',
        party,
        reason: `the party sent more ${kind} messages than allowed`,
      });
      return false;
    },
  };
}
