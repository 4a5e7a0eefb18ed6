import type { PartyContext } from './party-context.js';
import type { Reviewed } from './review-item.js';

/**
 * Whether a record can be written. A gateway measures by a batch that leaves no record whether anything can be signed,
 * so such a batch has the database asked. Any other batch shows it by its own records.
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
