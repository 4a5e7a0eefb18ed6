/** Tells when a freeze has reached every party that could still sign against it. */
import type { PartyNumber } from '@countersign/core/parties.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import type { LedgerView } from '@countersign/vault/ledger/fold.js';

/**
 * A party that was silent for so long (ms) can give out nothing any more. Three times have run out: its lease (1 s),
 * the time in which a commit has to begin (2 s) and the commit's own deadline (2 s).
 */
export const SILENT_AFTER_MS = 5_000;

/**
 * Whether nothing in the scope of a freeze can leave any party. Either all three have said that they obey it, or two
 * have and the third was silent for `ageMs`. Fewer than two are never enough: the silent ones could be a pair that
 * somebody cut off.
 */
export function isObeyed(
  { acknowledged }: Pick<LedgerView, 'acknowledged'>,
  seq: number,
  ageMs: number,
): boolean {
  const obeying = PARTY_NUMBERS.filter((party) => obeys(acknowledged, party, seq)).length;
  const enough = ageMs >= SILENT_AFTER_MS ? PARTY_NUMBERS.length - 1 : PARTY_NUMBERS.length;
  return obeying >= enough;
}

function obeys(
  acknowledged: ReadonlyMap<PartyNumber, number>,
  party: PartyNumber,
  seq: number,
): boolean {
  return (acknowledged.get(party) ?? 0) >= seq;
}
