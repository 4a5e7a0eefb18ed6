/** The answers to accepted changes, read back from the state: by gateways alone, never by the fold. */
import { isRefusal } from '@countersign/core/errors.js';
import { apiKeyOf, enrollmentCodeOf } from '../authentication/user-secrets.js';
import type { Catalogues } from '../catalogues/catalogues.js';
import { addressListsOf, webhooksOf, type VaultState } from '../state/state.js';
import type { Table } from '../state/table.js';
import { addressListView } from '../views/address-list-view.js';
import { keyView } from '../views/key-view.js';
import { partiesView } from '../views/parties-view.js';
import { adminPolicyView, securityGroupView, signingPolicyView } from '../views/policy-view.js';
import { pendingRequestView } from '../views/request-view.js';
import { systemSettingsView } from '../views/settings-view.js';
import { createdUserView, passkeyView, userGroupView } from '../views/user-view.js';
import { vaultView } from '../views/vault-view.js';
import { walletView } from '../views/wallet-view.js';
import { webhookView } from '../views/webhook-view.js';
import type { LedgerOperation, Subject } from './ledger-operation.js';
import { findRow } from './lookups.js';
import { SIGNING_HOLDS } from './signing-holds.js';
import { groupOf } from './signing-policies.js';
import { RESET, ROTATED } from './users.js';

export interface AnswerContext {
  readonly catalogues: Catalogues;
  /** Derives a secret of the entry. */
  secret(label: string): Buffer;
}

type Answer = (state: VaultState, subject: Subject, context: AnswerContext) => unknown;

/** The API's answer to an accepted entry; a refusal if what it made has since gone. */
export function answerOf(
  { id }: Pick<LedgerOperation, 'id'>,
  state: VaultState,
  subject: Subject,
  context: AnswerContext,
): unknown {
  const answer = ANSWERS.get(id);
  if (answer === undefined) throw new Error(`operation ${id} has no answer`);
  return answer(state, subject, context);
}

type View<Row> = (state: VaultState, row: Row, context: AnswerContext, subject: Subject) => unknown;

/** The row that the entry was about, or 404. */
function oneOf<Row extends { readonly id: string }>(
  tableOf: (state: VaultState) => Table<Row>,
  view: View<Row>,
): Answer {
  return (state, subject, context) => {
    const row = findRow(tableOf(state), subject.resourceIds[0]);
    return isRefusal(row) ? row : view(state, row, context, subject);
  };
}

/** All rows that the entry was about, or 404. */
function allOf<Row extends { readonly id: string }>(
  tableOf: (state: VaultState) => Table<Row>,
  view: View<Row>,
): Answer {
  return (state, subject, context) => {
    const results: unknown[] = [];
    for (const id of subject.resourceIds) {
      const row = findRow(tableOf(state), id);
      if (isRefusal(row)) return row;
      results.push(view(state, row, context, subject));
    }
    return { results };
  };
}

const usersOf = ({ users }: VaultState) => users;
const keysOf = ({ keys }: VaultState) => keys;
const walletsOf = ({ wallets }: VaultState) => wallets;

const viewKey: View<Parameters<typeof keyView>[1]> = (state, row, { catalogues }) =>
  keyView(state, row, catalogues);

const createdUser = oneOf(usersOf, (state, user, context) =>
  createdUserView(state, user, {
    apiKey: apiKeyOf(context),
    enrollmentCode: enrollmentCodeOf(context),
  }),
);

/** The subject tells what the entry made, and the answer shows that. */
const updatedUser = oneOf(usersOf, (state, user, context, { resourceType: made }) =>
  createdUserView(state, user, {
    apiKey: made === ROTATED ? apiKeyOf(context) : undefined,
    enrollmentCode: made === RESET ? enrollmentCodeOf(context) : undefined,
  }),
);

const passkey: Answer = ({ users }, { userIds = [], resourceIds }) => {
  const user = findRow(users, userIds[0]);
  return isRefusal(user) ? user : passkeyView(user, resourceIds[0] ?? '');
};

const userGroup = oneOf(
  ({ userGroups }) => userGroups,
  (_state, row) => userGroupView(row),
);

const adminPolicy = oneOf(
  ({ adminPolicies }) => adminPolicies,
  (_state, row) => adminPolicyView(row),
);

const vault = oneOf(({ vaults }) => vaults, vaultView);
const wallet = oneOf(walletsOf, walletView);
const key = oneOf(keysOf, viewKey);

const securityGroup = oneOf(
  ({ securityGroups }) => securityGroups,
  (_state, row) => securityGroupView(row),
);

const signingPolicy = oneOf(
  ({ signingPolicies }) => signingPolicies,
  (state, row) => signingPolicyView(row, groupOf(state, row)),
);

const addressList = oneOf(addressListsOf, (_state, row) => addressListView(row));

const webhook = oneOf(webhooksOf, (_state, row) => webhookView(row));

const pendingRequest = oneOf(
  ({ pendingRequests }) => pendingRequests,
  (state, row) => pendingRequestView(state, row, state.time),
);

const namesOf = ({ walletAddresses, resourceIds }: Subject) => [
  ...(walletAddresses ?? resourceIds),
];

const deleted: Answer = (_state, subject) => ({ deleted: namesOf(subject) });

const froze =
  (status: 'frozen' | 'active'): Answer =>
  (_state, subject) => ({ status, ids: namesOf(subject) });

const FREEZABLE = ['users', 'keys', 'vaults', 'wallets', 'system'];

/** Keyed by the id of the operation. */
export const ANSWERS: ReadonlyMap<string, Answer> = new Map([
  ...Object.entries({
    'create-user': createdUser,
    'update-user': updatedUser,
    'delete-users': deleted,
    'register-passkey': passkey,
    'delete-passkey': deleted,
    'create-user-group': userGroup,
    'update-user-group': userGroup,
    'delete-user-group': deleted,
    'create-admin-policy': adminPolicy,
    'update-admin-policy': adminPolicy,
    'delete-admin-policy': deleted,
    'create-vault': vault,
    'update-vault': vault,
    'create-wallet': wallet,
    'bulk-create-wallets': allOf(walletsOf, walletView),
    'update-wallet': wallet,
    'delete-wallets': deleted,
    'generate-key': key,
    'bulk-generate-keys': allOf(keysOf, viewKey),
    'import-key': key,
    'update-key': key,
    'destroy-key': key,
    'create-security-group': securityGroup,
    'update-security-group': securityGroup,
    'delete-security-group': deleted,
    'put-security-group-member': securityGroup,
    'patch-security-group-members': securityGroup,
    'delete-security-group-members': securityGroup,
    'create-signing-policy': signingPolicy,
    'update-signing-policy': signingPolicy,
    'delete-signing-policy': deleted,
    'order-signing-policies': securityGroup,
    'modify-system-settings': ({ settings }) => systemSettingsView(settings),
    'replace-party': partiesView,
    'refresh-shares': partiesView,
    'create-address-list': addressList,
    'update-address-list': addressList,
    'delete-address-list': deleted,
    'create-webhook': webhook,
    'update-webhook': webhook,
    'delete-webhook': deleted,
    'approve-request': pendingRequest,
    'reject-request': pendingRequest,
    'cancel-request': pendingRequest,
  } satisfies Record<string, Answer>),
  ...FREEZABLE.map((what) => [`freeze-${what}`, froze('frozen')] as const),
  ...FREEZABLE.map((what) => [`unfreeze-${what}`, froze('active')] as const),
  // a signature that was given is on record elsewhere
  ...SIGNING_HOLDS.map(({ id }) => [id, (() => null) satisfies Answer] as const),
]);
