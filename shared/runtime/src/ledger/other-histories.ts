/**
 * Collects parties' statements for a history other than the folded one. Each start raises them again: somebody must
 * look.
 */
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { toHex } from '@countersign/core/bytes.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { OTHER_HISTORY } from '@countersign/vault/ledger/party-statement.js';
import { z } from 'zod';
import type { Alarms } from '../alarms/alarms.js';
import type { OutcomeMemory } from './fold-snapshots.js';

/** How many statements of each party are kept for the next start: it may make more than anybody reads. */
const KEPT_OF_EACH = 16;

const statementsSchema = z.array(
  z.strictObject({
    seq: z.int().positive(),
    hash: z.hex().length(64),
    party: z.literal(PARTY_NUMBERS).optional(),
  }),
);

type HistoryStatement = z.output<typeof statementsSchema>[number];

export interface OtherHistories extends OutcomeMemory {
  note(outcomes: readonly EntryOutcome[]): void;
}

/** A party that speaks of another log was shown one, or makes one up. */
export function createOtherHistories(alarms: Alarms): OtherHistories {
  let kept: readonly HistoryStatement[] = [];

  function raise({ seq, hash, party }: HistoryStatement): void {
    alarms.raise({
      kind: 'other_history',
      party,
      reason: `entry ${seq} of the ledger is its statement for another history`,
      evidence: Buffer.from(hash, 'hex'),
      isLasting: true,
    });
  }

  return {
    name: 'other_histories',
    note(outcomes) {
      for (const { seq, hash, actorId, refusal } of outcomes) {
        if (refusal !== OTHER_HISTORY) continue;
        const statement = { seq, hash: toHex(hash), party: partyOf(actorId) };
        raise(statement);
        const before = kept.filter(({ party }) => party === statement.party).length;
        if (before < KEPT_OF_EACH) kept = [...kept, statement];
      }
    },
    save: () => [kept],
    load(saved) {
      const statements = statementsSchema.parse([...saved].flat());
      return () => {
        kept = statements;
        statements.forEach(raise);
      };
    },
  };
}

function partyOf(actorId: string | undefined): PartyNumber | undefined {
  return PARTY_NUMBERS.find((party) => actorId === `party_${party}`);
}
