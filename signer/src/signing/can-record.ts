import type { PartyContext } from './party-context.js';
import type { Reviewed } from './review-item.js';

/**
 * What leaves no record shows all the same that one could be written: a gateway measures by such a batch whether
 * anything can be signed. A batch of which something is recorded shows it by that.
 */
export async function canRecord(
  { records, logger }: Pick<PartyContext, 'records' | 'logger'>,
  reviews: readonly Pick<Reviewed, 'verdict'>[],
): Promise<boolean> {
  if (reviews.some(({ verdict }) => verdict.kind !== 'dropped')) return true;
  const reason = await records.findTrouble();
  if (reason === undefined) return true;
  logger.warn({ event: 'records_unwritable', reason }, 'no record can be written');
  return false;
}
