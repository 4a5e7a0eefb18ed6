/** Which of the ids that a draft names the vault knows: what it can be asked for without a signature. */
import { VENUE_ID } from '@countersign/api/requests/keys.js';
import type { KnownIds } from '@countersign/vault/operations/lint-rules.js';
import { useAllRows, useRead, useRows, type Rows } from '../../vault/vault-queries.js';
import type { RuleInput } from './policy-draft.js';
import { MOST, MOST_IDS } from './policy-queries.js';
import { subjectsNamedIn } from './rule-fields.js';

/** A kind is absent until all that is named of it has been looked for; for good where that is too much, or may not be seen. */
export function useKnownIds(rules: readonly RuleInput[]): KnownIds {
  const users = useKnownUsers(rules);
  const groups = useAllRows('list-user-groups', { query: MOST });
  const lists = useAllRows('list-address-lists', { query: MOST });
  const { data: catalogue } = useRead('get-system-info', {});
  const supported = catalogue?.supported_venues.map(({ id }) => id);
  const venues = useKnownVenues(rules, supported);
  const networks = catalogue?.supported_blockchain_networks.flatMap((family) => family.networks);
  const userGroups = idsOfWhole(groups);
  const addressLists = idsOfWhole(lists);
  return {
    ...(users !== undefined && { users }),
    ...(userGroups !== undefined && { userGroups }),
    ...(addressLists !== undefined && { addressLists }),
    ...(venues !== undefined && { venues }),
    ...(networks !== undefined && { networks: new Set(networks.map(({ id }) => id)) }),
  };
}

function useKnownUsers(rules: readonly RuleInput[]): ReadonlySet<string> | undefined {
  const wanted = unique(rules.flatMap((rule) => subjectsNamedIn(rule).userIds));
  const query = { ...MOST, user_ids: wanted.slice(0, MOST_IDS).join(',') };
  const found = useRows('list-users', { query }, { isWanted: wanted.length > 0 });
  if (wanted.length === 0) return new Set();
  return wanted.length > MOST_IDS ? undefined : idsOfWhole(found);
}

/** A venue that is not in the catalogue is one as well where a key is for it. */
function useKnownVenues(
  rules: readonly RuleInput[],
  supported: readonly string[] | undefined,
): ReadonlySet<string> | undefined {
  const named = unique(rules.flatMap(({ when }) => when.venue_ids ?? []));
  // what is no id of a venue is no key's
  const others = named.filter((id) => supported?.includes(id) === false && VENUE_ID.test(id));
  const query = { ...MOST, venue_ids: others.join(',') };
  const { rows, query: list } = useRows('list-keys', { query }, { isWanted: others.length > 0 });
  if (supported === undefined) return undefined;
  if (others.length > 0 && (!list.isSuccess || list.hasNextPage)) return undefined;
  return new Set([...supported, ...rows.flatMap(({ venue_id: id }) => id ?? [])]);
}

function idsOfWhole({
  rows,
  query,
}: Rows<{ readonly id: string }>): ReadonlySet<string> | undefined {
  return query.isSuccess && !query.hasNextPage ? new Set(rows.map(({ id }) => id)) : undefined;
}

function unique(ids: readonly string[]): string[] {
  return [...new Set(ids)].toSorted();
}
