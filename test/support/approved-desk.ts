/** A desk whose orders wait for one approval. */
import { randomUUID } from 'node:crypto';
import { signedRequest, type SignedRequest, type SigningOptions } from './signed-request.ts';
import { allowKeys, generateKey } from './standalone-keys.ts';
import { expectOk, type TestUser, type VaultInUse } from './test-vault.ts';

export interface ApprovedDesk {
  readonly bot: TestUser;
  readonly approver: TestUser;
  /** Its message names the moment at which it is signed; Ed25519. */
  order(options?: SigningOptions): SignedRequest;
}

export async function openApprovedDesk(vault: VaultInUse): Promise<ApprovedDesk> {
  const [bot, approver] = [await vault.createMachine(), await vault.createMachine()];
  const key = await generateKey(vault, {
    type: 'ed25519',
    display_name: `Approved orders ${randomUUID()}`,
    venue_id: 'binance',
    venue_api_key: 'approvedOrdersApiKey',
  });
  const { policyId } = await allowKeys(vault, [key.id], {});
  const path = `/v1/signing-policies/${policyId}`;
  const policy = await expectOk<{ version: number; display_name: string }>(
    vault.admin,
    'GET',
    path,
  );
  await expectOk(vault.admin, 'PUT', path, {
    version: policy.version,
    display_name: policy.display_name,
    rules: [
      {
        display_name: 'after one approval',
        when: { operation_classes: ['trade'], initiators: { user_ids: [bot.id] } },
        then: { require_approvals: { quorum: 1, user_ids: [approver.id] } },
      },
    ],
  });
  const query = 'symbol=LTCBTC&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=0.1';
  const request = { channel: 'rest', method: 'POST', path: '/api/v3/order', query };
  const target = `/v1/keys/${key.id}/sign`;
  return {
    bot,
    approver,
    order: (options) =>
      signedRequest(bot.credential, 'POST', target, { venue_request: request }, options),
  };
}
