/** Keys without a wallet, as tests see and allow them. */
import { eventually, expectOk, type TestVault } from './test-vault.ts';

export interface KeyView {
  readonly id: string;
  readonly display_name: string;
  readonly type: 'ed25519' | 'rsa' | 'hmac';
  readonly scheme: string;
  readonly custody: string;
  readonly status: string;
  readonly version: number;
  readonly modulus_bits?: number;
  readonly encoding?: string;
  readonly public_key?: { readonly spki_pem: string; readonly raw: string };
  readonly venue_id?: string;
  readonly venue_api_key?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly attestations: readonly { readonly party: number; readonly signature: string }[];
}

let counter = 0;

/** A security group of these keys with one rule that allows; ids of group and policy. */
export async function allowKeys(
  vault: TestVault,
  keyIds: readonly string[],
  when: Readonly<Record<string, unknown>>,
): Promise<{ groupId: string; policyId: string }> {
  const group = await expectOk<{ id: string }>(vault.admin, 'POST', '/v1/security-groups', {
    display_name: `keys ${++counter}`,
    members: keyIds.map((id) => ({ member_id: id, member_type: 'key' })),
  });
  const policy = await expectOk<{ id: string }>(vault.admin, 'POST', '/v1/signing-policies', {
    display_name: `keys ${counter}`,
    security_group_id: group.id,
    rules: [{ display_name: 'allow', when, then: 'allow' }],
  });
  return { groupId: group.id, policyId: policy.id };
}

/** A generated key, however long the parties take. */
export async function generateKey(vault: TestVault, body: object): Promise<KeyView> {
  const response = await vault.admin.send({
    method: 'POST',
    target: '/v1/keys',
    body,
    headers: { prefer: 'wait=1' },
  });
  if (response.status === 200) return response.body as KeyView;
  const { request_id: id } = response.body as { request_id: string };
  return eventually(async () => {
    const record = await expectOk<{ result?: KeyView }>(vault.admin, 'GET', `/v1/requests/${id}`);
    return record.result;
  }, 120_000);
}
