/**
 * The story that `test/vectors/release-zero-ledger.json` records: every operation that the ledger knows, accepted and
 * refused. Its keys are test values and protect nothing.
 */
import { createLedgerBuilder, type LedgerBuilder, type LedgerUser } from './ledger-builder.ts';
import {
  addRecipients,
  appendEvidenceKey,
  appendWithdrawal,
  refuseKey,
  rsaPublicKey,
  signedEvidenceKey,
  signedWithdrawal,
} from './party-facts.ts';
import { TEST_PASSKEYS } from './person.ts';
import {
  tellOfHeldChanges,
  tellOfPendingSigning,
  tellOfSlowThaws,
  tellOfStopsInTime,
} from './story-of-approvals.ts';
import { attestAll, tellOfImports } from './story-of-keys.ts';
import { tellOfManagers, tellOfPeople } from './story-of-people.ts';
import { tellOfWords } from './story-of-statements.ts';

const LONE_EVIDENCE_KEY = 'fedcba9876543210';

export function tellReleaseZeroStory(): LedgerBuilder {
  const ledger = tellOfDesk();
  tellOfEvidenceKeys(ledger);
  return ledger;
}

/** All of it but its end, at which the evidence key is withdrawn and nothing more can be said. */
export function tellOfDesk(): LedgerBuilder {
  const ledger = createLedgerBuilder({ passkeys: TEST_PASSKEYS });
  const people = tellOfPeople(ledger);
  const groups = tellOfGroups(ledger);
  const made = tellOfWalletsAndKeys(ledger);
  tellOfImports(ledger);
  const bot = ledger.addMachine('bot');
  const ann = ledger.addMachine('ann');
  const approvers = [ann.id, people.ada.id, people.bob.id];
  const ruleIds = tellOfSigningPolicies(ledger, { ...made, ...groups, bot, approvers });
  tellOfSettings(ledger);
  tellOfWebhooks(ledger);
  tellOfHeldChanges(ledger, people);
  tellOfPendingSigning(ledger, people, { ...made, ruleIds, bot, ann });
  tellOfFreezes(ledger, made);
  tellOfStopsInTime(ledger);
  tellOfSlowThaws(ledger, made.vaultId);
  tellOfManagers(ledger, groups.traders);
  tellOfWords(ledger);
  tellOfEnds(ledger, { ...made, ...groups });
  return ledger;
}

interface Groups {
  readonly traders: string;
}

function tellOfGroups(ledger: LedgerBuilder): Groups {
  const { admin } = ledger;
  const traders = ledger.must(admin, 'POST', '/v1/user-groups', { display_name: 'Traders' });
  const spare = ledger.must(admin, 'POST', '/v1/user-groups', { display_name: 'Spare' });
  ledger.must(admin, 'PUT', `/v1/user-groups/${traders}`, {
    display_name: 'Desk traders',
    description: 'day shift',
  });
  ledger.must(admin, 'DELETE', `/v1/user-groups/${spare}`);
  const leaver = ledger.addMachine('leaver');
  ledger.must(admin, 'PUT', `/v1/users/${leaver.id}`, { user_group_ids: [traders] });
  ledger.must(admin, 'PUT', `/v1/users/${leaver.id}`, { rotate_api_key: true });
  ledger.must(admin, 'DELETE', `/v1/users?user_ids=${leaver.id}`);
  const policy = {
    ...{ display_name: 'Traders freeze', action: 'freeze', effect: 'allow' },
    subjects: { user_group_ids: [traders] },
  };
  const id = ledger.must(admin, 'POST', '/v1/admin-policies', policy);
  ledger.must(admin, 'PUT', `/v1/admin-policies/${id}`, { ...policy, id, version: 1 });
  ledger.sendUnchecked(admin, 'PUT', `/v1/admin-policies/${id}`, { ...policy, version: 1 });
  ledger.sendUnchecked(admin, 'DELETE', `/v1/user-groups/${traders}`);
  ledger.must(admin, 'DELETE', `/v1/admin-policies/${id}`);
  return { traders };
}

interface Made {
  readonly keyId: string;
  readonly spareKey: string;
  readonly vaultId: string;
  readonly wallet: { readonly vaultId: string; readonly address: string };
  readonly spareAddress: string;
}

function tellOfWalletsAndKeys(ledger: LedgerBuilder): Made {
  const { admin } = ledger;
  const must = (method: string, path: string, body?: unknown) =>
    ledger.must(admin, method, path, body);
  const vaultId = must('POST', '/v1/vaults', { display_name: 'Desk' });
  must('PUT', `/v1/vaults/${vaultId}`, { display_name: 'Trading desk', description: 'a' });
  must('PATCH', '/v1/system-settings', { version: 1, testnets_enabled: true });
  const labels = { desk: 'one' };
  const newWallet = { network_family: 'solana', labels, networks: ['solana-devnet'] };
  must('POST', `/v1/vaults/${vaultId}/wallets`, newWallet);
  const bulk = [
    { network_family: 'solana' },
    { network_family: 'sui' },
    { network_family: 'aptos' },
    { network_family: 'stellar' },
    { network_family: 'near', labels },
  ];
  must('POST', `/v1/vaults/${vaultId}/wallets/bulk`, { wallets: bulk });
  const wallets = () => [...ledger.state.wallets.rows.values()];
  for (const { keyId } of wallets()) attestAll(ledger, keyId);
  const [onDevnet, other] = wallets().toSorted((a, b) => a.createdAt - b.createdAt);
  const path = `/v1/vaults/${vaultId}/wallets/${onDevnet!.address}`;
  must('PUT', path, { networks: ['solana-mainnet'], display_name: 'Main' });
  must('PUT', path, { networks: ['solana-mainnet', 'solana-devnet'] });
  const secret = { type: 'hmac', encoding: 'utf8', venue_id: 'binance', venue_api_key: 'key' };
  const keyId = must('POST', '/v1/keys/import', {
    ...{ ...secret, display_name: 'Venue', shares: addRecipients(ledger, 'first') },
  });
  attestAll(ledger, keyId, Buffer.alloc(0));
  const spareKey = must('POST', '/v1/keys', { type: 'rsa', display_name: 'Spare', labels });
  attestAll(ledger, spareKey, rsaPublicKey('spare', 2048));
  const keys = [1, 2].map((count) => ({ type: 'ed25519', display_name: `${count}`, labels }));
  const unfinished = must('POST', '/v1/keys/bulk', { keys });
  refuseKey(ledger, 1, unfinished);
  refuseKey(ledger, 1, must('POST', '/v1/keys', { type: 'rsa', display_name: 'Given up' }));
  must('PUT', `/v1/keys/${spareKey}`, { display_name: 'Renamed' });
  const { address } = onDevnet!;
  return { keyId, spareKey, vaultId, wallet: { vaultId, address }, spareAddress: other!.address };
}

interface Signers extends Made, Groups {
  readonly bot: LedgerUser;
  readonly approvers: readonly string[];
}

/** Every condition; what is refused for want of somebody, or of a setting. Answers the rules that ask for approvals. */
function tellOfSigningPolicies(
  ledger: LedgerBuilder,
  { keyId, spareKey, traders, bot, approvers, wallet }: Signers,
): readonly [string, string] {
  const { admin } = ledger;
  const must = (method: string, path: string, body?: unknown) =>
    ledger.must(admin, method, path, body);
  const walletId = [...ledger.state.wallets.rows.values()].find(
    ({ address }) => address === wallet.address,
  )!.id;
  const members = [
    { member_id: keyId, member_type: 'key' },
    { member_id: walletId, member_type: 'wallet' },
  ];
  const desk = must('POST', '/v1/security-groups', { display_name: 'Desk', members });
  const selector = { labels: { desk: 'one' }, types: ['key'] };
  const selecting = must('POST', '/v1/security-groups', { display_name: 'All', selector });
  must('PUT', `/v1/security-groups/${selecting}`, { selector: null });
  must('PUT', `/v1/security-groups/${selecting}`, { selector: { labels: { desk: 'one' } } });
  must('PUT', `/v1/security-groups/${selecting}/members/${spareKey}`);
  must('DELETE', `/v1/security-groups/${selecting}/members?member_ids=${spareKey}`);
  const add = [{ member_id: spareKey, member_type: 'key' }];
  must('PATCH', `/v1/security-groups/${selecting}/members`, { add });
  const asking = (quorum: number, max: string) => ({
    ...{
      display_name: `after ${quorum}`,
      then: { require_approvals: { quorum, user_ids: approvers, expires_in_s: 43_200 } },
    },
    when: {
      operations: ['sign', 'raw_sign'],
      initiators: { user_ids: [bot.id, ...approvers] },
      amount: { max },
    },
  });
  const policy = (rules: readonly object[], security_group_id = desk) => ({
    ...{ display_name: 'Rules', security_group_id, rules },
  });
  const id = must('POST', '/v1/signing-policies', policy([asking(1, '1'), asking(3, '9')]));
  const [small, large] = ledger.state.signingPolicies.rows.get(id)!.rules;
  tellOfConditions(ledger, { policy, selecting, traders });
  return [small!.id, large!.id];
}

interface ToldGroup extends Groups {
  readonly selecting: string;
  policy(rules: readonly object[], groupId?: string): object;
}

function tellOfConditions(ledger: LedgerBuilder, { policy, selecting, traders }: ToldGroup): void {
  const { admin } = ledger;
  const post = (when: object, then: unknown = 'allow') =>
    ledger.sendUnchecked(admin, 'POST', '/v1/signing-policies', {
      ...policy([{ display_name: 'one', when, then }], selecting),
    }).subject?.resourceIds[0];
  const initiators = { user_group_ids: [traders] };
  post({});
  post({ initiators: 'anyone', amount: { min: '0.5', max: '1,000' } });
  post({ usd_value: { max: '5' }, initiators });
  const settings = { version: ledger.state.settings.version, usd_value_conditions_enabled: true };
  ledger.must(admin, 'PATCH', '/v1/system-settings', settings);
  const time = { days: ['mon'], from: '08:00', to: '18:00', time_zone: 'Europe/Zurich' };
  const velocity = { limit: '3', unit: 'count', window_s: 60, per: 'initiator' };
  const first = post({ initiators: 'anyone', time, velocity, networks: ['solana-devnet'] });
  const assets = ['solana-mainnet/sol'];
  const second = post({
    ...{ initiators, assets, destinations: ['there'], amount: { max: '1' } },
    velocity: { ...velocity, unit: 'amount', limit: '2.5', per: 'wallet' },
  });
  post({ initiators, velocity: { ...velocity, unit: 'amount' } });
  post({ initiators, velocity: { ...velocity, unit: 'usd', per: 'group' } });
  post({ initiators, usd_value: { min: '1', max: '5' }, venue_ids: ['binance'] });
  post({ initiators, symbols: ['A'], contracts: { max: '3' }, quote_amount: { max: '9' } });
  post({ initiators, sides: ['buy'], endpoints: ['POST /api/v3/order'] });
  post({ initiators, time, networks: ['solana-devnet'], destinations: ['there'] });
  post({ velocity }, 'deny');
  post({ operation_classes: ['withdraw', 'session'] }, 'deny');
  post({ initiators }, { require_approvals: { quorum: 2, user_ids: [admin.id] } });
  post({ initiators }, { require_approvals: { quorum: 0, user_group_ids: [traders] } });
  const order = { signing_policy_ids: [second, first] };
  const path = `/v1/security-groups/${selecting}/signing-policy-order`;
  ledger.sendUnchecked(admin, 'PUT', path, order);
  const all = ledger.state.securityGroups.rows.get(selecting)!.signingPolicyIds;
  ledger.must(admin, 'PUT', path, { signing_policy_ids: all.toReversed() });
  const { id, rules } = ledger.state.signingPolicies.rows.get(second!)!;
  const [rule] = rules;
  const kept = { id: rule!.id, display_name: 'kept', when: { initiators, assets }, then: 'allow' };
  ledger.must(admin, 'PUT', `/v1/signing-policies/${id}`, {
    ...{ display_name: 'Put back', version: 1, rules: [kept] },
  });
  ledger.must(admin, 'DELETE', `/v1/signing-policies/${first}`);
}

function tellOfSettings(ledger: LedgerBuilder): void {
  const { version } = ledger.state.settings;
  for (const body of [
    { version, usd_value_conditions_enabled: false },
    { version, testnets_enabled: false },
    { version: 1, testnets_enabled: false },
  ]) {
    ledger.sendUnchecked(ledger.admin, 'PATCH', '/v1/system-settings', body);
  }
}

function tellOfWebhooks(ledger: LedgerBuilder): void {
  const { admin } = ledger;
  const body = {
    ...{ display_name: 'Hook', url: 'https://hooks.example.com/a' },
    events: ['request.awaiting_approval', 'request.completed'],
  };
  const [first, second] = [1, 2].map(() => ledger.must(admin, 'POST', '/v1/webhooks', body));
  const path = `/v1/webhooks/${first}`;
  ledger.must(admin, 'PUT', path, { version: 1, enabled: false });
  ledger.sendUnchecked(admin, 'PUT', path, { version: 1, enabled: true });
  ledger.must(admin, 'DELETE', `/v1/webhooks/${second}`);
}

/** Which count as updates, and show in what is frozen. */
function tellOfFreezes(ledger: LedgerBuilder, { spareKey, vaultId, wallet }: Made): void {
  const { admin } = ledger;
  const user = ledger.addMachine('frozen', ['manage_vaults']);
  for (const [path, query] of [
    ['/v1/users', `?user_ids=${user.id}`],
    ['/v1/keys', `?key_ids=${spareKey}`],
    ['/v1/keys', '?venue_id=binance'],
    ['/v1/vaults', `?vault_ids=${vaultId}`],
    [`/v1/vaults/${vaultId}/wallets`, `?addresses=${wallet.address}`],
    ['/v1/system', ''],
  ] as const) {
    ledger.must(admin, 'POST', `${path}/freeze${query}`, { reason: 'drill' });
    ledger.sendUnchecked(admin, 'POST', `${path}/freeze${query}`);
    ledger.sendUnchecked(user, 'PUT', `/v1/vaults/${vaultId}`, { display_name: 'No' });
    ledger.must(admin, 'POST', `${path}/unfreeze${query}`);
  }
  ledger.sendUnchecked(user, 'POST', '/v1/system/freeze');
}

function tellOfEnds(ledger: LedgerBuilder, made: Made & Groups): void {
  const { admin } = ledger;
  const { vaultId, spareAddress, spareKey, traders } = made;
  const path = `/v1/vaults/${vaultId}/wallets`;
  ledger.sendUnchecked(admin, 'DELETE', `${path}?addresses=${spareAddress}`);
  ledger.must(admin, 'POST', `${path}/freeze?addresses=${spareAddress}`);
  ledger.must(admin, 'DELETE', `${path}?addresses=${spareAddress}`);
  ledger.must(admin, 'POST', `/v1/keys/${spareKey}/destroy`);
  ledger.sendUnchecked(admin, 'DELETE', `/v1/user-groups/${traders}`);
  const empty = ledger.must(admin, 'POST', '/v1/security-groups', { display_name: 'Empty' });
  ledger.must(admin, 'DELETE', `/v1/security-groups/${empty}`);
  ledger.sendUnchecked(admin, 'DELETE', `/v1/users?user_ids=${admin.id}`);
  appendEvidenceKey(ledger, signedEvidenceKey(ledger, 3, LONE_EVIDENCE_KEY));
  ledger.sendUnchecked(admin, 'GET', '/v1/vaults');
}

function tellOfEvidenceKeys(ledger: LedgerBuilder): void {
  const [current] = ledger.keys.ids;
  const next = '0123456789abcdef';
  for (const party of [3, 1, 2] as const) {
    appendEvidenceKey(ledger, signedEvidenceKey(ledger, party, next));
  }
  appendEvidenceKey(ledger, signedEvidenceKey(ledger, 1, next));
  appendEvidenceKey(ledger, { ...signedEvidenceKey(ledger, 1, LONE_EVIDENCE_KEY), party: 2 });
  appendWithdrawal(ledger, signedWithdrawal(ledger, 1, current));
  appendWithdrawal(ledger, signedWithdrawal(ledger, 1, current));
  appendWithdrawal(ledger, signedWithdrawal(ledger, 2, current));
  // nothing counts that is sealed under it from now on
  ledger.sendUnchecked(ledger.admin, 'POST', '/v1/vaults', { display_name: 'Too late' });
}
