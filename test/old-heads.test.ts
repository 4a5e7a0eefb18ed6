/** A gateway that goes on naming the head before a limit was lowered, on a running vault. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SUPERSEDED_AFTER_MS } from '../signer/dist/party/seen-heads.js';
import { headOf, openHostileGateway, type HostileGateway } from './support/attacker.ts';
import { countSigned, openLimitedWallet } from './support/limit-run.ts';
import { eventually, expectOk, openTestVault, type TestVault } from './support/test-vault.ts';

let vault: TestVault;
let gateway: HostileGateway;

beforeAll(async () => {
  vault = await openTestVault({ logLevel: 'error' });
  gateway = await openHostileGateway(vault);
}, 90_000);
afterAll(async () => {
  await gateway?.close();
  await vault?.close();
}, 60_000);

it('no more is signed than a limit that was lowered, and nothing once the head is known to be old', async () => {
  const wallet = await openLimitedWallet(vault, 40);
  const old = await headOf(vault);
  const path = `/v1/signing-policies/${wallet.policyId}`;
  const { version, rules } = await expectOk<{
    version: number;
    rules: { id: string; when: { velocity: object } }[];
  }>(vault.admin, 'GET', path);
  const lowered = rules.map(({ id, when }) => ({
    ...{ id, display_name: 'fewer', then: 'allow' },
    when: {
      operations: ['raw_sign'],
      initiators: { user_ids: [wallet.bot.id] },
      velocity: { ...when.velocity, limit: '3' },
    },
  }));
  await expectOk(vault.admin, 'PUT', path, { display_name: 'limited', version, rules: lowered });
  const changedAt = Date.now();
  const requests = Array.from({ length: 20 }, () => wallet.newRequest());
  await gateway.submit(requests, { head: old });
  expect(await countSigned(vault, requests)).toBeLessThanOrEqual(3);
  await eventually(() => Date.now() > changedAt + SUPERSEDED_AFTER_MS + 1_000, 30_000);
  const outcomes = await gateway.submit([wallet.newRequest()], { head: old });
  expect(outcomes).toMatchObject([{ outcome: 'retry', reason: 'not over this head' }]);
}, 90_000);
