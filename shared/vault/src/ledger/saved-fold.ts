/** A fold at a place where nothing waited: all that is needed to go on from there. */
import { toHex } from '@countersign/core/bytes.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import type { Countersignature } from '@countersign/core/party-statements.js';
import * as s from '@countersign/core/shapes.js';
import { readState, STATE_SHAPE, writeState } from '../state/state-text.js';
import type { VaultState } from '../state/state.js';
import { HEADS_KEPT } from './party-statement.js';
import { NEWEST_RULES } from './rules.js';

export interface SavedFold {
  /** The state in force; `seq` and `headHash` are the place's. */
  readonly state: VaultState;
  /** The version of the rules by which the newest judged entry was judged. */
  readonly rules: number;
  readonly countersignatures: ReadonlyMap<PartyNumber, Countersignature>;
  readonly acknowledged: ReadonlyMap<PartyNumber, number>;
  /** The time by which the newest outcome is listed, ms: no later outcome is listed earlier. */
  readonly toldAt: number;
}

/** A saved fold that names another format is of a release that folds or writes in another way. */
export const SAVED_FOLD_FORMAT = JSON.stringify([1, NEWEST_RULES, STATE_SHAPE]);

const party = s.literal(PARTY_NUMBERS);
const place = s.int().min(1);
const statement = s.strictObject({
  party,
  seq: place,
  hash: s.string().regex(/^[0-9a-f]{64}$/),
  at: s.int(),
  rules: s.int(),
  newestRules: s.int(),
});
const statementsSchema = s.strictObject({
  rules: s.int(),
  toldAt: s.int(),
  countersignatures: s.array(statement),
  acknowledged: s.array(s.strictObject({ party, seq: place })),
});

/** Lines without line breaks; the caller may take them over time. */
export function* writeSavedFold(saved: SavedFold): Generator<string> {
  const { state, rules, toldAt, countersignatures, acknowledged } = saved;
  const statements: s.InputOf<typeof statementsSchema> = {
    rules,
    toldAt,
    countersignatures: [...countersignatures.values()].map((one) => ({
      party: one.party,
      seq: one.seq,
      hash: toHex(one.hash),
      at: one.at,
      rules: one.rules,
      newestRules: one.newestRules,
    })),
    acknowledged: [...acknowledged].map(([one, seq]) => ({ party: one, seq })),
  };
  yield JSON.stringify(statements);
  yield* writeState(state);
}

/** Throws on lines that {@link writeSavedFold} of this format did not write. */
export function readSavedFold(lines: Iterator<string, unknown>): SavedFold {
  const statements = statementsSchema.parse(JSON.parse(String(lines.next().value)));
  return {
    state: readState(lines),
    rules: statements.rules,
    toldAt: statements.toldAt,
    countersignatures: new Map(
      statements.countersignatures.map((one) => [
        one.party,
        { ...one, hash: Buffer.from(one.hash, 'hex') },
      ]),
    ),
    acknowledged: new Map(statements.acknowledged.map((one) => [one.party, one.seq])),
  };
}

/** The first of the places whose hashes a fold at `seq` remembers. */
export function firstPlaceKept(seq: number): number {
  return Math.max(1, seq - HEADS_KEPT);
}
