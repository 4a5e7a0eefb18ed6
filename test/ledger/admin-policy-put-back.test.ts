/** What `GET` gives of an administrative policy may be edited and put back. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { adminPolicyView } from '@countersign/vault/views/policy-view.js';
import { createLedgerBuilder, type LedgerBuilder } from '../support/ledger-builder.ts';

let ledger: LedgerBuilder;
let policyId: string;

const PATH = '/v1/admin-policies';

beforeEach(() => {
  ledger = createLedgerBuilder();
  const [requester, one, two] = ['requester', 'one', 'two'].map((name) => ledger.addMachine(name));
  const vault = ledger.must(ledger.admin, 'POST', '/v1/vaults', { display_name: 'Vault' });
  policyId = ledger.must(ledger.admin, 'POST', PATH, {
    display_name: 'Wallets after one approval, a day later',
    action: 'manage_wallets',
    effect: 'allow',
    subjects: { user_ids: [requester!.id] },
    scope: { vault_ids: [vault] },
    approvals: { quorum: 1, user_ids: [one!.id, two!.id] },
    delay_s: 86_400,
  });
});

/** As `GET` gives it. */
const read = () => adminPolicyView(ledger.state.adminPolicies.rows.get(policyId)!);
const put = (body: object) => ledger.send(ledger.admin, 'PUT', `${PATH}/${policyId}`, body);

describe('an administrative policy', () => {
  it('is put back as it was read: nothing but its version and stamp is another', () => {
    const before = read();
    expect(put(before).refusal).toBeUndefined();
    expect(read()).toEqual({
      ...before,
      version: 2,
      last_updated_at: expect.any(String),
      last_updated_by: ledger.admin.id,
    });
    expect(put({ ...read(), display_name: 'Edited' }).refusal).toBeUndefined();
    expect(read()).toMatchObject({ display_name: 'Edited', version: 3 });
  });

  it('that was changed since is not: 409', () => {
    const before = read();
    put(before);
    expect(put(before).refusal).toMatchObject({ refused: 'resource_conflict' });
  });

  it('is no other policy: 422', () => {
    const other = [...ledger.state.adminPolicies.rows.keys()].find((id) => id !== policyId);
    expect(put({ ...read(), id: other }).refusal).toMatchObject({
      refused: 'invalid_inputs',
      message: 'id: is not the id of this policy',
    });
  });

  it('is never given back stamps that are believed', () => {
    const created_by = '01234567-89ab-4cde-8f01-abcdefabcdef';
    expect(put({ ...read(), created_by }).refusal).toBeUndefined();
    expect(read().created_by).toBe(ledger.admin.id);
  });

  it('says nothing that an update does not know: 422', () => {
    expect(put({ ...read(), colour: 'red' }).refusal).toMatchObject({ refused: 'invalid_inputs' });
  });
});
