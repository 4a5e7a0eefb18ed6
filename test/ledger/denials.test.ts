/**
 * Every 403 that there is, given by the code that gives it. The list is the code's own: a denial without a case here does not
 * compile, and one whose case says something else fails.
 */
import { BoundedMap } from '@countersign/core/bounded-map.js';
import { readdirSync, readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { DENIALS, deny, ruleName, type Denial, type NamedIn } from '@countersign/core/denials.js';
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import { digestOf, requestIdOf, type Evidence } from '@countersign/core/evidence.js';
import { readNewPasskey } from '@countersign/vault/authentication/new-passkey.js';
import { evaluateSigning } from '@countersign/vault/operations/signing-operation.js';
import { SIGNING_HOLDS } from '@countersign/vault/operations/signing-holds.js';
import { findSigningOperation } from '@countersign/vault/operations/signing-operations.js';
import { findApprovals } from '@countersign/vault/policy/released-approvals.js';
import { RELEASE_LIFE_MS } from '@countersign/vault/policy/approvals.js';
import { FREEZE_SCOPES, type FreezeScope } from '@countersign/vault/state/freezes.js';
import { EMPTY_STATE, type VaultState } from '@countersign/vault/state/state.js';
import { admitReader } from '../../gateway/dist/admission/admission.js';
import { refuseElsewhere } from '../../gateway/dist/admission/allowed-addresses.js';
import { ApiError, publicText } from '../../gateway/dist/http/public-error.js';
import { refuseWhileFrozen } from '../../gateway/dist/requests/sign-answer.js';
import { denyTogether, withMissingItems } from '../../signer/dist/signing/all-or-none.js';
import { reviewItem } from '../../signer/dist/signing/review-item.js';
import { createLedgerBuilder, keyStory, type LedgerBuilder } from '../support/ledger-builder.ts';
import type { LedgerUser } from '../support/ledger-builder.ts';
import { TEST_PASSKEYS } from '../support/person.ts';
import { makeVenueKey } from '../support/venue-reading-key.ts';

let ledger: LedgerBuilder;
let bot: LedgerUser;
let ann: LedgerUser;
let ben: LedgerUser;

beforeEach(() => {
  ledger = createLedgerBuilder({ passkeys: TEST_PASSKEYS });
  [bot, ann, ben] = ['bot', 'ann', 'ben'].map((name) => ledger.addMachine(name)) as [
    LedgerUser,
    LedgerUser,
    LedgerUser,
  ];
});

const must = (method: string, target: string, body?: object, user = ledger.admin) =>
  ledger.must(user, method, target, body);

const refusalOf = (user: LedgerUser, method: string, target: string, body?: object) =>
  ledger.sendUnchecked(user, method, target, body).refusal;

/** A policy by which the user may do it, or may not. */
const adminPolicy = (user: LedgerUser, action: string, more: object = {}) =>
  must('POST', '/v1/admin-policies', {
    ...{ display_name: `${action} ${ledger.rows.length}`, action, effect: 'allow' },
    subjects: { user_ids: [user.id] },
    ...more,
  });

const withdrawal = {
  venue_request: {
    channel: 'rest',
    method: 'POST',
    path: '/sapi/v1/capital/withdraw/apply',
    query: 'coin=BTC&address=bc1qours&amount=1',
  },
};

/** A rule that lets the bot withdraw, or does as `then` says. */
const withdrawing = (then: object | string = 'allow', when: object = {}) => ({
  display_name: 'Withdraw',
  when: {
    operation_classes: ['withdraw'],
    destinations: ['bc1qours'],
    initiators: { user_ids: [bot.id] },
    ...when,
  },
  then,
});

const afterApprovals = (quorum: number) =>
  withdrawing({ require_approvals: { quorum, user_ids: [ann.id, ben.id] } });

interface Desk {
  readonly keyId: string;
  readonly policyId: string;
}

const deskOf = (...rules: object[]): Desk => makeVenueKey(ledger, 'binance', rules);

/** What the rules of a desk are from now on. */
function rewrite({ policyId }: Desk, ...rules: object[]): void {
  const { version } = ledger.state.signingPolicies.rows.get(policyId)!;
  must('PUT', `/v1/signing-policies/${policyId}`, { display_name: 'New', version, rules });
}

const orderAt = ({ keyId }: Desk, user = bot) =>
  ledger.evidenceOf(user, 'POST', `/v1/keys/${keyId}/sign`, withdrawal);

/** What a gateway answers from its own fold. */
function askGateway(evidence: Evidence, user = bot, waited = false) {
  const matched = findSigningOperation(evidence.method, evidence.path)!;
  const initiator = ledger.state.users.rows.get(user.id)!;
  const asking = { initiator, receivedAt: ledger.now, waited };
  return evaluateSigning(ledger.state, matched, evidence, asking);
}

const refusedByGateway = (evidence: Evidence, user = bot) =>
  onlyRefusal(askGateway(evidence, user));

function onlyRefusal(answer: object): Refusal {
  if (!isRefusal(answer)) throw new Error('nothing was refused');
  return answer;
}

/** What a party answers from its own. */
function refusedByParty(evidence: Evidence, index?: number): Refusal | undefined {
  const item = { submission: '00', receivedAt: ledger.now, nonce: 0n, evidence, index };
  const reviews = withMissingItems([item]).map((each) =>
    reviewItem(ledger.state, each, ledger.now),
  );
  const { verdict } = denyTogether(reviews, new BoundedMap(1))[0]!;
  return verdict.kind === 'ready' ? undefined : verdict.refusal;
}

/** What a party answers for an item of a batch: a withdrawal to us, then one to others. */
function refusedInBatch({ keyId }: Desk, index: number, allOrNone = false): Refusal | undefined {
  const { venue_request: ours } = withdrawal;
  const theirs = { ...ours, query: ours.query.replace('bc1qours', 'bc1qtheirs') };
  const body = { venue_requests: [ours, theirs], all_or_none: allOrNone };
  return refusedByParty(
    ledger.evidenceOf(bot, 'POST', `/v1/keys/${keyId}/sign-batch`, body),
    index,
  );
}

interface HeldOrder extends Desk {
  readonly evidence: Evidence;
  readonly id: string;
}

function holdOrder(desk = deskOf(afterApprovals(1))): HeldOrder {
  const evidence = orderAt(desk);
  expect(ledger.appendEvidence(evidence).refusal).toBeUndefined();
  return { ...desk, evidence, id: requestIdOf(digestOf(evidence)) };
}

const approve = (user: LedgerUser, id: string) =>
  refusalOf(user, 'POST', `/v1/requests/${id}/approve`, {
    digest: ledger.state.pendingRequests.rows.get(id)!.digest,
  });

function releasedOrder(): HeldOrder {
  const held = holdOrder();
  expect(approve(ann, held.id)).toBeUndefined();
  expect(ledger.state.pendingRequests.rows.get(held.id)?.status).toBe('released');
  return held;
}

/** Whether its approvals are there, for a caller whose credential has been checked. */
function approvalsOf({ evidence, id }: HeldOrder, state: VaultState = ledger.state): Refusal {
  const ready = askGateway(evidence, bot, true);
  if (isRefusal(ready)) return ready;
  const requester = ledger.state.users.rows.get(bot.id)!;
  return onlyRefusal(findApprovals(state, id, { asked: ready.asked, requester }, ledger.now));
}

/** A change that waits for ann's approval. */
function holdVault(more: object = {}): string {
  adminPolicy(bot, 'create_vaults', { approvals: { quorum: 1, user_ids: [ann.id] }, ...more });
  const evidence = ledger.evidenceOf(bot, 'POST', '/v1/vaults', { display_name: 'Held' });
  expect(ledger.appendEvidence(evidence).refusal).toBeUndefined();
  return requestIdOf(digestOf(evidence));
}

/** A group whose members may make vaults. */
function groupOfMakers(): string {
  const id = must('POST', '/v1/user-groups', { display_name: 'Makers' });
  adminPolicy(ann, 'create_vaults', { subjects: { user_group_ids: [id] } });
  return id;
}

/** A signing policy for what has the label, by which ben may sign. */
function policyOfLabel(): { readonly groupId: string; readonly policyId: string } {
  const groupId = must('POST', '/v1/security-groups', {
    display_name: 'Labelled',
    selector: { labels: { desk: 'one' } },
  });
  const when = { initiators: { user_ids: [ben.id] } };
  const policyId = must('POST', '/v1/signing-policies', {
    ...{ display_name: 'Labelled', security_group_id: groupId },
    rules: [{ display_name: 'Rule', when, then: 'allow' }],
  });
  return { groupId, policyId };
}

async function thrown(act: () => Promise<unknown>): Promise<Refusal | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { refused: error.errType, message: error.message };
  }
}

interface Given<Name extends Denial> {
  /** What its text has to name. */
  readonly named: NamedIn<Name>;
  readonly refusal: Refusal | undefined | Promise<Refusal | undefined>;
}

const CASES: { readonly [Name in Denial]: () => Given<Name> } = {
  no_genesis() {
    const follower = { state: EMPTY_STATE, confirmedMsAgo: 0, fault: undefined };
    const operation = { method: 'GET', path: '/v1/whoami', authentication: 'credential' };
    const request = { originalUrl: '/v1/whoami', headers: {}, rawHeaders: [] };
    const asked = [{ follower, now: () => 0 }, operation, request, {}];
    const admit = admitReader as (...asked: unknown[]) => Promise<unknown>;
    return { named: [], refusal: thrown(() => admit(...asked)) };
  },
  before_genesis() {
    const empty = createLedgerBuilder({ genesis: false });
    const entry = ledger.evidenceOf(bot, 'POST', '/v1/vaults', { display_name: 'x' });
    return { named: [], refusal: empty.appendEvidence(entry).refusal };
  },
  no_people() {
    const answer = readNewPasskey({}, {} as never);
    return { named: [], refusal: onlyRefusal(answer) };
  },
  passkey_of_machine: () => ({
    named: [],
    refusal: refusalOf(bot, 'POST', '/v1/passkeys', {
      credential_id: 'AAAA',
      public_key: Buffer.alloc(44).toString('base64url'),
      authenticator_data: Buffer.alloc(37).toString('base64url'),
    }),
  }),

  address_not_allowed() {
    must('PUT', `/v1/users/${bot.id}`, { allowed_addresses: ['192.0.2.0/24'] });
    const user = ledger.state.users.rows.get(bot.id)!;
    return { named: [], refusal: refuseElsewhere(user, '198.51.100.1') };
  },

  frozen() {
    const desk = deskOf(withdrawing());
    must('POST', '/v1/keys/freeze?venue_id=binance');
    return { named: ['venue'], refusal: refusedByParty(orderAt(desk)) };
  },
  key_status() {
    const desk = deskOf(withdrawing());
    must('POST', `/v1/keys/${desk.keyId}/destroy`);
    return { named: ['destroyed'], refusal: refusedByParty(orderAt(desk, ledger.admin)) };
  },
  key_of_wallet() {
    const keyId = walletOf().keyId;
    const evidence = ledger.evidenceOf(ledger.admin, 'POST', `/v1/keys/${keyId}/sign`, withdrawal);
    return { named: [], refusal: refusedByParty(evidence) };
  },

  admin_policy() {
    const id = adminPolicy(ledger.admin, 'create_vaults', { effect: 'deny' });
    const refusal = refusalOf(ledger.admin, 'POST', '/v1/vaults', { display_name: 'x' });
    expect(refusal?.policy).toEqual({ id, version: 1 });
    expect(publicText(refusal!)).toContain(`policy ${id}, version 1`);
    return { named: ['create_vaults'], refusal };
  },
  no_admin_policy: () => ({
    named: ['create_vaults'],
    refusal: refusalOf(bot, 'POST', '/v1/vaults', { display_name: 'x' }),
  }),
  rights_held() {
    adminPolicy(bot, 'manage_users');
    must('PUT', `/v1/users/${ann.id}`, { user_group_ids: [groupOfMakers()] });
    return { named: [], refusal: refusalOf(bot, 'DELETE', `/v1/users?user_ids=${ann.id}`) };
  },
  rights_gained() {
    for (const action of ['manage_users', 'manage_user_groups']) adminPolicy(bot, action);
    const body = { user_group_ids: [groupOfMakers()] };
    return { named: [], refusal: refusalOf(bot, 'PUT', `/v1/users/${ann.id}`, body) };
  },
  signing_gained() {
    adminPolicy(bot, 'manage_users');
    const { policyId } = policyOfLabel();
    const body = { rotate_api_key: true };
    return { named: [policyId], refusal: refusalOf(bot, 'PUT', `/v1/users/${ben.id}`, body) };
  },
  own_selection() {
    const { groupId } = policyOfLabel();
    adminPolicy(ben, 'generate_keys');
    const body = { type: 'ed25519', display_name: 'Mine', labels: { desk: 'one' } };
    return { named: [groupId], refusal: refusalOf(ben, 'POST', '/v1/keys', body) };
  },

  signing_policies() {
    const desk = deskOf(withdrawing('deny'));
    const { rules } = ledger.state.signingPolicies.rows.get(desk.policyId)!;
    const rule = { id: desk.policyId, version: 1, ruleId: rules[0]!.id };
    const stated = 'initiators, destinations, operation_classes';
    // no rule lets the bot sign: a viewer is told what denies
    const refusal = refusedByGateway(orderAt(desk, ledger.admin), ledger.admin);
    expect(refusal.message).toMatch(/^no signing policy rule allows this request; /);
    rewrite(desk, withdrawing('deny'), withdrawing());
    const denying = ledger.state.signingPolicies.rows.get(desk.policyId)!.rules[0]!.id;
    const named = `denied by ${ruleName({ ...rule, version: 2, ruleId: denying })}: ${stated}`;
    return { named: [named], refusal: refusedByParty(orderAt(desk)) };
  },

  // what asks for a signature is held, and never comes to be applied: this is what stands in its place
  no_change: () => ({
    named: [],
    refusal: onlyRefusal(SIGNING_HOLDS[0]!.apply(ledger.state, {} as never, {} as never)),
  }),
  nothing_asked: () => ({
    named: [],
    refusal: ledger.appendEvidence(orderAt(deskOf(withdrawing()))).refusal,
  }),
  asked_no_more() {
    const held = releasedOrder();
    rewrite(held, withdrawing());
    return { named: [], refusal: refusedByParty(held.evidence) };
  },
  asks_alone() {
    const desk = deskOf(afterApprovals(1));
    const { rules, version } = ledger.state.signingPolicies.rows.get(desk.policyId)!;
    const rule = { id: desk.policyId, version, ruleId: rules[0]!.id };
    return { named: [ruleName(rule)], refusal: refusedInBatch(desk, 0) };
  },
  not_all() {
    const desk = deskOf(withdrawing());
    expect(refusedInBatch(desk, 0)).toBeUndefined();
    const { message } = refusedInBatch(desk, 1)!;
    return { named: ['1', message], refusal: refusedInBatch(desk, 0, true) };
  },
  not_held: () => ({ named: [], refusal: refusedByParty(orderAt(deskOf(afterApprovals(1)))) }),
  not_released: () => ({ named: ['waiting'], refusal: refusedByParty(holdOrder().evidence) }),
  release_over() {
    const { evidence } = releasedOrder();
    ledger.now += RELEASE_LIFE_MS;
    return { named: [], refusal: refusedByParty(evidence) };
  },
  evidence_key_withdrawn() {
    const held = releasedOrder();
    const { state } = ledger;
    const withdrawnBy = [1, 2] as const;
    const evidenceKeys = state.evidenceKeys.map((row) => ({ ...row, withdrawnBy }));
    return { named: [], refusal: approvalsOf(held, { ...state, evidenceKeys }) };
  },
  other_credential() {
    const held = releasedOrder();
    must('PUT', `/v1/users/${bot.id}`, { rotate_api_key: true });
    return { named: [], refusal: approvalsOf(held) };
  },
  requester_gone() {
    const id = holdVault();
    must('POST', `/v1/users/freeze?user_ids=${bot.id}`);
    return { named: [], refusal: approve(ann, id) };
  },
  approvals_missing() {
    const held = releasedOrder();
    rewrite(held, afterApprovals(2));
    const { id, version, rules } = ledger.state.signingPolicies.rows.get(held.policyId)!;
    const named = [{ id, version, ruleId: rules[0]!.id }];
    return { named: [named], refusal: refusedByParty(held.evidence) };
  },
  approvals_void() {
    const id = holdVault({ delay_s: 60 });
    expect(approve(ann, id)).toBeUndefined();
    must('POST', `/v1/users/freeze?user_ids=${ann.id}`);
    ledger.now += 61_000;
    must('POST', '/v1/vaults', { display_name: 'Another' });
    const row = ledger.state.pendingRequests.rows.get(id)!;
    return { named: [], refusal: { refused: row.failure!, message: row.reason! } };
  },
  own_request() {
    const id = holdVault();
    return { named: [], refusal: approve(bot, id) };
  },
  not_asked() {
    adminPolicy(ben, 'view_system_resources');
    return { named: [], refusal: approve(ben, holdVault()) };
  },
  not_yours() {
    adminPolicy(ben, 'view_system_resources');
    const path = `/v1/requests/${holdVault()}/cancel`;
    return { named: [], refusal: refusalOf(ben, 'POST', path, {}) };
  },
};

function walletOf(): { readonly vaultId: string; readonly id: string; readonly keyId: string } {
  const vaultId = must('POST', '/v1/vaults', { display_name: 'Treasury' });
  const id = must('POST', `/v1/vaults/${vaultId}/wallets`, { network_family: 'solana' });
  const { keyId } = ledger.state.wallets.rows.get(id)!;
  for (const party of [1, 2, 3] as const) ledger.attest(party, keyId, keyStory(keyId));
  return { vaultId, id, keyId };
}

describe('a denial is given by the code that decides, and names what decided:', () => {
  it.each(Object.keys(DENIALS) as Denial[])('%s', async (denial) => {
    const { named, refusal } = (CASES[denial] as () => Given<Denial>)();
    const said = deny(denial, ...(named as never));
    expect(await refusal).toMatchObject({ refused: said.refused, message: said.message });
  });

  it('and none is made elsewhere', () => {
    const sources = ['core', 'api', 'vault', 'runtime'].map((name) => `shared/${name}/src`);
    const made = [...sources, 'gateway/src', 'signer/src'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
        .map((name) => `${folder}/${name}`)
        .filter((file) =>
          /refused: 'forbidden'|ApiError\(\s*'forbidden'/.test(readFileSync(file, 'utf8')),
        ),
    );
    expect(made).toEqual(['shared/core/src/fold-denials.ts']);
  });
});

/** How the thing is frozen, and what is refused then. */
const FROZEN: { readonly [Scope in FreezeScope]: () => Refusal | undefined } = {
  system: () => refusedWhen('/v1/system/freeze'),
  venue: () => refusedWhen('/v1/keys/freeze?venue_id=binance'),
  key: () => refusedWhen(({ keyId }) => `/v1/keys/freeze?key_ids=${keyId}`),
  vault: () => refusedWalletWhen((vaultId) => `/v1/vaults/freeze?vault_ids=${vaultId}`),
  wallet: () =>
    refusedWalletWhen(
      (vaultId, address) => `/v1/vaults/${vaultId}/wallets/freeze?addresses=${address}`,
    ),
  user() {
    // a frozen caller has no credential that counts: this is of a signature that comes too late
    const { keyId } = deskOf(withdrawing());
    must('POST', `/v1/users/freeze?user_ids=${bot.id}`);
    return refuseWhileFrozen(ledger.state, { receipt: { keyId } } as never, bot.id);
  },
};

function refusedWhen(target: string | ((desk: Desk) => string)): Refusal | undefined {
  const desk = deskOf(withdrawing());
  must('POST', typeof target === 'string' ? target : target(desk));
  return refusedByParty(orderAt(desk));
}

function refusedWalletWhen(target: (vaultId: string, address: string) => string) {
  const { vaultId, id } = walletOf();
  const { address } = ledger.state.wallets.rows.get(id)!;
  must('POST', target(vaultId, address));
  const path = `/v1/vaults/${vaultId}/wallets/${address}/raw-sign`;
  return refusedByParty(ledger.evidenceOf(ledger.admin, 'POST', path, { message: 'AAAA' }));
}

it.each(FREEZE_SCOPES)('what a freeze of the %s stops is told its scope', (scope) => {
  expect(FROZEN[scope]()).toMatchObject({
    refused: 'forbidden',
    message: `the ${scope} is frozen`,
  });
});
