/** A gateway that goes on naming the head before a limit was lowered, or an address was taken out, on a running vault. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SUPERSEDED_AFTER_MS } from '../signer/dist/party/seen-heads.js';
import { headOf, openHostileGateway, type HostileGateway } from './support/attacker.ts';
import { countSigned, openLimitedWallet } from './support/limit-run.ts';
import { signedRequest } from './support/signed-request.ts';
import { solanaTransfer, STRANGER } from './support/solana-transfer.ts';
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

it('an address that was taken out of the address book is paid no more, whatever head is named', async () => {
  const bot = await vault.createMachine();
  const { path, address, policyId } = await vault.createWallet({ initiators: [bot.id] });
  const list = await expectOk<{ id: string }>(vault.admin, 'POST', '/v1/address-lists', {
    display_name: 'Suppliers',
    entries: [{ address: STRANGER, display_name: 'A supplier' }],
  });
  const policy = `/v1/signing-policies/${policyId}`;
  const { version } = await expectOk<{ version: number }>(vault.admin, 'GET', policy);
  const when = { initiators: { user_ids: [bot.id] }, destination_lists: [list.id] };
  const rules = [{ display_name: 'To suppliers', when, then: 'allow' }];
  await expectOk(vault.admin, 'PUT', policy, { display_name: 'paid', version, rules });
  let lamports = 0n;
  const pays = () =>
    signedRequest(
      bot.credential,
      'POST',
      `${path}/sign`,
      solanaTransfer({ source: address, lamports: (lamports += 1n) }),
    );
  const old = await headOf(vault);
  expect(await gateway.ask(() => [pays()])).toMatchObject([{ outcome: 'signed' }]);
  await expectOk(vault.admin, 'PUT', `/v1/address-lists/${list.id}`, {
    version: 1,
    entries: [{ address: 'another', display_name: 'Another supplier' }],
  });
  const changedAt = Date.now();
  await eventually(() => Date.now() > changedAt + SUPERSEDED_AFTER_MS + 1_000, 30_000);
  expect(await gateway.submit([pays()], { head: old })).toMatchObject([
    { outcome: 'retry', reason: 'not over this head' },
  ]);
  const now = await gateway.ask(() => [pays()]);
  expect(now).toMatchObject([{ outcome: 'denied' }]);
  expect(JSON.stringify(now)).toContain('destination_lists');
}, 90_000);
