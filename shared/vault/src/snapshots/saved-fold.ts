/** A fold at a place where nothing waited: all that is needed to go on from there. */
import { toHex } from '@countersign/core/bytes.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import * as s from '@countersign/core/shapes.js';
import { readState, STATE_SHAPE, writeState } from './state-text.js';
import type { SavedFold } from '../ledger/fold.js';
import { NEWEST_RULES } from '../ledger/rules.js';

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
