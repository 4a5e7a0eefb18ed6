/** Finds rules on values in USD that can never hold, because nothing that they are about has such a value. */
import type { Catalogues } from '../catalogues/catalogues.js';
import { pricedBy } from '@countersign/api/conditions/condition-forms.js';
import type { Rule } from '../state/state.js';

/** They order and move nothing, or nobody knows what follows them. */
const WORTHLESS: readonly string[] = ['read', 'cancel', 'key_admin', 'session', 'unknown'];

/** Why the rule can value nothing, or undefined. `venueIds`: the venues that it is about. */
export function findUnvaluable(
  { when }: Rule,
  venueIds: readonly string[],
  { marketNamesAt }: Pick<Catalogues, 'marketNamesAt'>,
): string | undefined {
  const name = pricedBy(when)?.name;
  if (name === undefined) return undefined;
  if (when.operationClasses?.every((each) => WORTHLESS.includes(each)) === true) {
    return `${name}: can never match: no request of these classes has a value in USD`;
  }
  const isForVenues = when.venueIds !== undefined || when.operationClasses !== undefined;
  return isForVenues &&
    venueIds.length > 0 &&
    venueIds.every((id) => marketNamesAt(id) === undefined)
    ? `${name}: can never match: the markets of ${venueIds.join(', ')} cannot be valued in USD`
    : undefined;
}
