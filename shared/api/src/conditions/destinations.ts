import * as s from '@countersign/core/shapes.js';
import type { VenueFacts } from '@countersign/venues/engine/venue-facts.js';
import type { Asked, Condition, ConditionedRule, Tested } from './condition.js';
import { FORMS } from './condition-forms.js';
import { heldOf, untold } from './tested.js';
import { contentListOf } from './listed.js';

export const destinations = {
  ...FORMS.destinations,
  text: "Addresses that assets go to, compared as they stand. Of a transaction they are its recipients, for a token the token account that is credited. Of a venue request it is the address, where the venue's signature binds it. At most 1000. A rule that allows must cover all of the request, one that denies needs one. What the vault cannot read is denied. Absent: any.",
  ...contentListOf(s.string()),
  words: { form: 'list', label: 'Destinations', entries: 'addresses' },
  reads: ['transaction', 'venue_request'],
  isLastAtVenues: true,
  parts: () => ['destinations'],
  test: (wanted, asked, rule) =>
    testDestinations(asked, rule, (address) => wanted.includes(address)),
  bounds: ['withdraw'],
} as const satisfies Condition<readonly string[]>;

/** By what each address that the request names must be. */
export function testDestinations(
  { request: { transaction, venue } }: Asked,
  rule: ConditionedRule,
  isWanted: (address: string) => boolean,
): Tested {
  if (transaction?.unread !== undefined) return untold(transaction.unread);
  if (venue !== undefined && goesUnsaid(venue)) {
    return untold("this request's destinations cannot be compared");
  }
  const found = venue?.destinations ?? transaction?.movements.map(({ destination }) => destination);
  return heldOf(found ?? [], rule, isWanted);
}

/** Whether the request may leave the account without naming a comparable destination. */
function goesUnsaid({ destinations: found, operationClass }: VenueFacts): boolean {
  return found === undefined && (operationClass === 'withdraw' || operationClass === 'unknown');
}
