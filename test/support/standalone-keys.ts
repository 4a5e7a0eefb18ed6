/** Keys without a wallet, as tests see and allow them. */
import { randomBytes } from 'node:crypto';
import { eventually, expectOk, PATIENT, type VaultInUse } from './test-vault.ts';

/**
 * A bound for the making of an RSA key, for time-outs. How many candidates it takes is luck: on a loaded
 * machine, with a mean of 40 s, one key in three million takes longer.
 */
export const RSA_PATIENCE_MS = 600_000;

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
  readonly public_key?: { readonly pem: string; readonly raw: string };
  readonly venue_id?: string;
  readonly venue_api_key?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly attestations: readonly { readonly party: number; readonly signature: string }[];
}

/** Names are unique in a vault, which other files may use as well. */
const MARK = randomBytes(4).toString('hex');
let counter = 0;

/** A security group of these keys with one rule that allows; ids of group and policy. */
export async function allowKeys(
  vault: VaultInUse,
  keyIds: readonly string[],
  when: Readonly<Record<string, unknown>>,
): Promise<{ groupId: string; policyId: string }> {
  const group = await expectOk<{ id: string }>(vault.admin, 'POST', '/v1/security-groups', {
    display_name: `keys ${MARK} ${++counter}`,
    members: keyIds.map((id) => ({ member_id: id, member_type: 'key' })),
  });
  const policy = await expectOk<{ id: string }>(vault.admin, 'POST', '/v1/signing-policies', {
    display_name: `keys ${MARK} ${counter}`,
    security_group_id: group.id,
    rules: [{ display_name: 'allow', when, then: 'allow' }],
  });
  return { groupId: group.id, policyId: policy.id };
}

/** A generated key, however long the parties take. */
export function generateKey(vault: VaultInUse, body: object): Promise<KeyView> {
  return completeKey(vault, '/v1/keys', body);
}

/** Asks for a key, and again and again whether it is complete. Throws when it is refused or failed. */
export async function completeKey(
  vault: VaultInUse,
  target: string,
  body: object,
): Promise<KeyView> {
  const response = await vault.admin.send({ method: 'POST', target, body, headers: PATIENT });
  if (response.status === 200) return response.body as KeyView;
  if (response.status !== 202) {
    throw new Error(`POST ${target}: HTTP ${response.status} ${response.text}`);
  }
  const { request_id: id } = response.body as { request_id: string };
  return eventually(async () => {
    const record = await expectOk<{ status: string; result?: KeyView; error?: unknown }>(
      vault.admin,
      'GET',
      `/v1/requests/${id}`,
    );
    if (record.status === 'failed') throw new Error(JSON.stringify(record.error));
    return record.result;
  }, RSA_PATIENCE_MS);
}
