/**
 * Checks a change by this release's catalogues and lint, over the state before it. A gateway asks before anything is
 * appended; the fold never does. It is no part of an operation because the next release knows venues and networks
 * better: a fold that asked would read an old entry anew, and nodes of two releases would reach two states. An entry
 * that gets into the ledger without this check counts. So whoever signs must itself refuse what the catalogues do not
 * allow.
 */
import {
  createSigningPolicyRequest,
  patchSecurityGroupMembersRequest,
  putSecurityGroupMemberRequest,
  type RuleBody,
  updateSecurityGroupRequest,
  updateSigningPolicyRequest,
} from '@countersign/api/policy-requests.js';
import type {
  ApiRequest,
  HttpMethod,
  OperationAction,
} from '@countersign/api/requests/api-request.js';
import { FREEZING } from '@countersign/api/requests/freezing.js';
import {
  bulkGenerateKeysRequest,
  generateKeyRequest,
  importKeyRequest,
  updateKeyRequest,
} from '@countersign/api/requests/keys.js';
import { modifySystemSettingsRequest } from '@countersign/api/requests/settings.js';
import {
  bulkCreateWalletsRequest,
  createWalletRequest,
  updateWalletRequest,
} from '@countersign/api/requests/vaults.js';
import { createUserRequest } from '@countersign/api/requests/users.js';
import { createWebhookRequest, updateWebhookRequest } from '@countersign/api/requests/webhooks.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import type { Evidence } from '@countersign/core/evidence.js';
import type * as s from '@countersign/core/shapes.js';
import type { Catalogues } from '../catalogues/catalogues.js';
import { refuseNewKey } from '../checks/new-key-faults.js';
import { findRuleFault, venuesSelectedBy } from '../checks/rule-faults.js';
import { findUnbindableRule } from '../checks/unbindable-conditions.js';
import { refuseVenueApiKey } from '../checks/venue-key-faults.js';
import { refuseNetworks } from '../checks/wallet-network-faults.js';
import { refuseSwitchedOff } from '../policy/setting-guards.js';
import type { SecurityGroup, VaultState } from '../state/state.js';
import { refusalAt } from './bulk-places.js';
import { findVisibleKey } from './keys.js';
import { findLedgerOperation } from './ledger-operations.js';
import { findRow, findWallet } from './lookups.js';
import { parseInput, type Input } from './operation-input.js';
import { selectorField } from './security-groups.js';
import { groupOf } from './signing-policies.js';
import { makeRules } from './signing-rules.js';

/** Never throws. */
type Check<Query, Body> = (
  state: VaultState,
  input: Input<Query, Body>,
  catalogues: Catalogues,
) => Refusal | undefined;

/** Undefined if the check finds nothing, or the request has none. */
export function checkRequest(
  state: VaultState,
  { method, path, query, body }: Pick<Evidence, 'method' | 'path' | 'query' | 'body'>,
  catalogues: Catalogues,
): Refusal | undefined {
  const matched = findLedgerOperation(method, path);
  const check = matched && CHECKS.get(matched.operation.id);
  if (matched === undefined || check === undefined) return undefined;
  const input = parseInput(matched.operation, { params: matched.params, query, body });
  return isRefusal(input) ? input : check(state, input, catalogues);
}

function of<Query extends s.AnyShape, Body extends s.AnyShape>(
  { id }: ApiRequest<string, HttpMethod, string, OperationAction, Query, Body>,
  check: Check<s.OutputOf<Query>, s.OutputOf<Body>>,
): readonly [string, Check<unknown, unknown>] {
  return [id, check as Check<unknown, unknown>];
}

const GROUP_CHECKS = [
  of(updateSecurityGroupRequest, (state, { params, body: { selector } }, catalogues) => {
    const group = findRow(state.securityGroups, params['group_id']);
    if (isRefusal(group)) return group;
    const selecting = { ...group, ...selectorField(selector) };
    const venueIds = selector == null ? [] : venuesSelectedBy(state, selecting);
    return refuseUnbindable(state, selecting, venueIds, catalogues);
  }),
  of(putSecurityGroupMemberRequest, (state, { params }, catalogues) =>
    checkMembers(state, params['group_id'], [params['member_id'] ?? ''], catalogues),
  ),
  of(patchSecurityGroupMembersRequest, (state, { params, body }, catalogues) => {
    const added = (body.add ?? []).map(({ member_id: id }) => id);
    return checkMembers(state, params['group_id'], added, catalogues);
  }),
];

const POLICY_CHECKS = [
  of(createSigningPolicyRequest, (state, { body }, catalogues) => {
    const group = state.securityGroups.rows.get(body.security_group_id);
    return group && checkRules(state, { group, kept: [] }, body.rules, catalogues);
  }),
  of(updateSigningPolicyRequest, (state, { params, body }, catalogues) => {
    const before = findRow(state.signingPolicies, params['policy_id']);
    if (isRefusal(before)) return before;
    const place = { group: groupOf(state, before), kept: before.rules.map(({ id }) => id) };
    return checkRules(state, place, body.rules, catalogues);
  }),
];

const KEY_CHECKS = [
  of(generateKeyRequest, (state, { body }, catalogues) => refuseNewKey(state, body, catalogues)),
  of(importKeyRequest, (state, { body }, catalogues) => refuseNewKey(state, body, catalogues)),
  of(bulkGenerateKeysRequest, (state, { body }, catalogues) =>
    firstRefusal('keys', body.keys, (key) => refuseNewKey(state, key, catalogues)),
  ),
  of(updateKeyRequest, (state, { params, body }, catalogues) => {
    const before = findVisibleKey(state, params['key_id']);
    if (isRefusal(before)) return before;
    return refuseVenueApiKey(before.venueId, body.venue_api_key, catalogues);
  }),
  of(FREEZING.keys.freeze, (state, { query }, catalogues) =>
    refuseUnknownVenue(state, query.venue_id, catalogues),
  ),
  of(FREEZING.keys.unfreeze, (state, { query }, catalogues) =>
    refuseUnknownVenue(state, query.venue_id, catalogues),
  ),
];

const WALLET_CHECKS = [
  of(createWalletRequest, (state, { body }, catalogues) =>
    refuseNetworks(state, body.network_family, body.networks, catalogues),
  ),
  of(bulkCreateWalletsRequest, (state, { body }, catalogues) =>
    firstRefusal('wallets', body.wallets, (wallet) =>
      refuseNetworks(state, wallet.network_family, wallet.networks, catalogues),
    ),
  ),
  of(updateWalletRequest, (state, { params, body }, catalogues) => {
    const row = findWallet(state, params['vault_id'], params['address']);
    if (isRefusal(row)) return row;
    return refuseNetworks(state, row.networkFamily, body.networks, catalogues);
  }),
];

/** Keyed by the id of the operation. */
export const CHECKS: ReadonlyMap<string, Check<unknown, unknown>> = new Map([
  ...GROUP_CHECKS,
  ...POLICY_CHECKS,
  ...KEY_CHECKS,
  ...WALLET_CHECKS,
  // the fold refuses the same (`change-guards.ts`), for requests that race with one another
  of(modifySystemSettingsRequest, (state, { body }) =>
    refuseSwitchedOff(state, {
      testnetsEnabled: body.testnets_enabled ?? state.settings.testnetsEnabled,
      usdValueConditionsEnabled:
        body.usd_value_conditions_enabled ?? state.settings.usdValueConditionsEnabled,
    }),
  ),
  of(createUserRequest, (_state, { body }, { findSignInFault }) => {
    if (body.type !== 'human') return undefined;
    const fault = findSignInFault(body.cloud_provider, body.identity?.issuer);
    return fault === undefined ? undefined : refuse('invalid_inputs', fault);
  }),
  of(createWebhookRequest, (_state, { body }, catalogues) => refuseUrl(body.url, catalogues)),
  of(updateWebhookRequest, (_state, { body }, catalogues) => refuseUrl(body.url, catalogues)),
]);

function firstRefusal<Item>(
  list: string,
  items: readonly Item[],
  refusalOf: (item: Item) => Refusal | undefined,
): Refusal | undefined {
  for (const [index, item] of items.entries()) {
    const refusal = refusalOf(item);
    if (refusal !== undefined) return refusalAt(list, index, refusal);
  }
  return undefined;
}

/** 422 when one of the new members is a key for whose venue a rule of the group could not hold. */
function checkMembers(
  state: VaultState,
  groupId: string | undefined,
  memberIds: readonly string[],
  catalogues: Catalogues,
): Refusal | undefined {
  const group = findRow(state.securityGroups, groupId);
  if (isRefusal(group)) return group;
  const venueIds = memberIds.map((id) => state.keys.rows.get(id)?.venueId ?? null);
  return refuseUnbindable(state, group, venueIds, catalogues);
}

function refuseUnbindable(
  state: VaultState,
  group: SecurityGroup,
  venueIds: Iterable<string | null>,
  catalogues: Catalogues,
): Refusal | undefined {
  for (const venueId of venueIds) {
    const fault = findUnbindableRule(state, group, venueId, catalogues);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function checkRules(
  state: VaultState,
  { group, kept }: { readonly group: SecurityGroup; readonly kept: readonly string[] },
  bodies: readonly RuleBody[],
  catalogues: Catalogues,
): Refusal | undefined {
  // nothing of the rules stays, so any ids will do
  const rules = makeRules(state, bodies, { newId: (name) => name }, kept);
  return isRefusal(rules) ? rules : findRuleFault(state, group, rules, catalogues);
}

/**
 * 422 for a venue that neither the catalogue nor a key names: a mistyped freeze would stop nothing and look like a
 * freeze. A venue that is frozen all the same can be thawed.
 */
function refuseUnknownVenue(
  { keys: { rows }, frozenVenues }: VaultState,
  venueId: string | undefined,
  { findVenue }: Catalogues,
): Refusal | undefined {
  const isKnown =
    venueId === undefined ||
    findVenue(venueId) !== undefined ||
    frozenVenues.has(venueId) ||
    rows.some((row) => row.venueId === venueId);
  return isKnown ? undefined : refuse('invalid_inputs', 'venue_id: names an unknown venue');
}

/** The next release knows better which addresses are private, so whoever connects checks again. */
function refuseUrl(
  url: string | undefined,
  { findDestinationFault }: Catalogues,
): Refusal | undefined {
  const fault = url === undefined ? undefined : findDestinationFault(url);
  return fault === undefined ? undefined : refuse('invalid_inputs', `url: ${fault}`);
}
