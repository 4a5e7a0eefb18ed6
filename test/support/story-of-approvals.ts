/** The chapters of the recorded story about what waits: changes of the vault, and signatures. */
import { digestOf, requestIdOf } from '@countersign/core/evidence.js';
import { RELEASE_LIFE_MS } from '@countersign/vault/policy/approvals.js';
import { encodeEvidenceEntry } from '@countersign/vault/ledger/write-entry.js';
import type { LedgerBuilder, LedgerUser } from './ledger-builder.ts';
import type { People } from './story-of-people.ts';
import { judgeTogether } from './story-of-statements.ts';

const DAY_MS = 86_400_000;

function ask(
  ledger: LedgerBuilder,
  user: LedgerUser,
  method: string,
  path: string,
  body?: unknown,
) {
  const evidence = ledger.evidenceOf(user, method, path, body);
  ledger.appendEvidence(evidence);
  return requestIdOf(digestOf(evidence));
}

const digestIn = ({ state }: LedgerBuilder, id: string) =>
  state.pendingRequests.rows.get(id)?.digest;

function say(
  ledger: LedgerBuilder,
  user: LedgerUser,
  [id, what]: readonly [id: string, what: 'approve' | 'reject' | 'cancel'],
  body: object = {},
): void {
  const digest = what === 'approve' ? { digest: digestIn(ledger, id) } : {};
  ledger.sendUnchecked(user, 'POST', `/v1/requests/${id}/${what}`, { ...digest, ...body });
}

/** Approved, approved by who does not count, rejected, cancelled, expired, delayed, and failed in the end. */
export function tellOfHeldChanges(ledger: LedgerBuilder, { ada }: People): void {
  const { admin } = ledger;
  const asker = ledger.addMachine('asker');
  const helper = ledger.addMachine('helper', ['view_system_resources', 'freeze']);
  const policy = {
    ...{ display_name: 'Vaults after two', action: 'create_vaults', effect: 'allow' },
    subjects: { user_ids: [asker.id] },
    approvals: { quorum: 2, user_ids: [asker.id, helper.id, ada.id], expires_in_s: 3_600 },
  };
  const policyId = ledger.must(admin, 'POST', '/v1/admin-policies', policy);
  const askVault = (display_name: string) =>
    ask(ledger, asker, 'POST', '/v1/vaults', { display_name });
  const byAda = (id: string) =>
    ada.send('POST', `/v1/requests/${id}/approve`, { digest: digestIn(ledger, id) });
  const first = askVault('Approved');
  say(ledger, asker, [first, 'approve']);
  say(ledger, admin, [first, 'approve']);
  say(ledger, helper, [first, 'approve'], { digest: '00'.repeat(32) });
  say(ledger, helper, [first, 'approve']);
  say(ledger, helper, [first, 'approve']);
  byAda(first);
  say(ledger, helper, [askVault('Rejected'), 'reject'], { reason: 'no' });
  const cancelled = askVault('Cancelled');
  say(ledger, admin, [cancelled, 'cancel']);
  say(ledger, asker, [cancelled, 'cancel'], { reason: 'changed my mind' });
  const [failed, expired] = [askVault('Taken meanwhile'), askVault('Expired')];
  ledger.must(admin, 'POST', '/v1/vaults', { display_name: 'Taken meanwhile' });
  for (const id of [failed, expired]) say(ledger, helper, [id, 'approve']);
  byAda(failed);
  ledger.must(admin, 'POST', `/v1/users/freeze?user_ids=${helper.id}`);
  byAda(expired);
  ledger.must(admin, 'POST', `/v1/users/unfreeze?user_ids=${helper.id}`);
  ledger.now += 3_600_000;
  say(ledger, helper, [expired, 'approve']);
  const { approvals: _asked, ...delayed } = { ...policy, version: 1, delay_s: 3_600 };
  ledger.must(admin, 'PUT', `/v1/admin-policies/${policyId}`, delayed);
  askVault('In an hour');
  say(ledger, helper, [askVault('Stopped'), 'cancel'], { reason: 'not now' });
  ledger.now += 2 * 3_600_000;
  ledger.must(admin, 'POST', '/v1/vaults', { display_name: 'The time moves on' });
}

/** Stopped before its time by what lies before it in the log, though the statements for that come late. */
export function tellOfStopsInTime(ledger: LedgerBuilder): void {
  const { admin } = ledger;
  const slow = ledger.addMachine('slow');
  const policy = ledger.must(admin, 'POST', '/v1/admin-policies', {
    ...{ display_name: 'Vaults in an hour', action: 'create_vaults', effect: 'allow' },
    ...{ subjects: { user_ids: [slow.id] }, delay_s: 3_600 },
  });
  const id = ask(ledger, slow, 'POST', '/v1/vaults', { display_name: 'Stopped in time' });
  ledger.now += 3_590_000;
  const stop = ledger.evidenceOf(slow, 'POST', `/v1/requests/${id}/cancel`, {});
  ledger.appendRow(encodeEvidenceEntry(ledger.now, stop, ledger.keys));
  ledger.now += 20_000;
  judgeTogether(ledger, [], [2, 3]);
  ledger.must(admin, 'DELETE', `/v1/admin-policies/${policy}`);
}

/** An unfreezing takes effect after its time, unless a freeze follows it in the log. */
export function tellOfSlowThaws(ledger: LedgerBuilder, vaultId: string): void {
  const { admin } = ledger;
  const policy = ledger.must(admin, 'POST', '/v1/admin-policies', {
    ...{ display_name: 'Unfreeze in an hour', action: 'unfreeze', effect: 'allow' },
    ...{ subjects: { user_ids: [admin.id] }, delay_s: 3_600 },
  });
  const target = (what: string) => `/v1/vaults/${what}?vault_ids=${vaultId}`;
  ledger.must(admin, 'POST', target('freeze'), { reason: 'drill' });
  ask(ledger, admin, 'POST', target('unfreeze'));
  ledger.must(admin, 'POST', target('freeze'), { reason: 'again' });
  ledger.now += 3_600_000;
  // the one before is void: this one waits for its own hour
  ask(ledger, admin, 'POST', target('unfreeze'));
  const rights = ['freeze', 'manage_vaults'] as const;
  const helper = ledger.addMachine('freezes', rights);
  ledger.now += 3_600_000;
  ledger.must(helper, 'PUT', `/v1/vaults/${vaultId}`, { description: 'thawed' });
  ledger.must(admin, 'DELETE', `/v1/admin-policies/${policy}`);
}

export interface Signing {
  readonly keyId: string;
  readonly wallet: { readonly vaultId: string; readonly address: string };
  /** Of rules that ask: one approval for small ones, two for large ones. */
  readonly ruleIds: readonly [small: string, large: string];
  readonly bot: LedgerUser;
  readonly ann: LedgerUser;
}

/** Each operation that signs; released under a rule, under any, and not at all. */
export function tellOfPendingSigning(
  ledger: LedgerBuilder,
  { ada, bob }: People,
  by: Signing,
): void {
  const { keyId, wallet, ruleIds, bot, ann } = by;
  const { admin } = ledger;
  const ofWallet = `/v1/vaults/${wallet.vaultId}/wallets/${wallet.address}`;
  const paths = [`/v1/keys/${keyId}/sign`, `/v1/keys/${keyId}/raw-sign`];
  for (const path of [...paths, `${ofWallet}/sign`, `${ofWallet}/raw-sign`]) {
    ask(ledger, bot, 'POST', path, { whatever: path });
  }
  const askOrder = (order: number) => ask(ledger, bot, 'POST', paths[0]!, { order });
  ask(ledger, ann, 'POST', paths[0]!, { order: 'nobody asks' });
  ask(ledger, bot, 'POST', `/v1/keys/${wallet.vaultId}/sign`, {});
  const small = askOrder(1);
  say(ledger, bot, [small, 'approve']);
  say(ledger, ann, [small, 'approve'], { rule_ids: [wallet.vaultId] });
  say(ledger, ann, [small, 'approve'], { rule_ids: [ruleIds[1]] });
  say(ledger, ann, [small, 'approve'], { rule_ids: [ruleIds[0]] });
  say(ledger, bot, [small, 'cancel']);
  const large = askOrder(2);
  say(ledger, ann, [large, 'approve']);
  for (const person of [ada, bob]) {
    person.send('POST', `/v1/requests/${large}/approve`, { digest: digestIn(ledger, large) });
  }
  say(ledger, ann, [askOrder(3), 'reject'], { reason: 'too much' });
  say(ledger, bot, [askOrder(4), 'cancel']);
  const frozen = askOrder(5);
  ledger.must(admin, 'POST', `/v1/keys/freeze?key_ids=${keyId}`, { reason: 'drill' });
  say(ledger, ann, [frozen, 'approve'], { rule_ids: [ruleIds[0]] });
  askOrder(6);
  ledger.must(admin, 'POST', `/v1/keys/unfreeze?key_ids=${keyId}`);
  ada.send('POST', paths[0]!, { order: 'by a person' });
  // what was released lapses, and what waits expires
  for (const later of [RELEASE_LIFE_MS, DAY_MS]) {
    ledger.now += later;
    askOrder(later);
  }
}
