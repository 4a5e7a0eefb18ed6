/** What a refused caller is told over HTTP, and what the request's record and the audit log keep of it: what decided, by name. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ClientResponse } from '../client/dist/calls/raw-client.js';
import { call, grant } from './support/api.ts';
import {
  eventually,
  expectOk,
  openSharedVault,
  PATIENT,
  type TestUser,
  type TestWallet,
  type VaultInUse,
} from './support/test-vault.ts';

interface Policy {
  readonly version: number;
  readonly display_name: string;
  readonly rules: readonly { readonly id: string }[];
}

let vault: VaultInUse;
let bot: TestUser;
let wallet: TestWallet;

beforeAll(async () => {
  vault = await openSharedVault();
  bot = await vault.createMachine();
  wallet = await vault.createWallet({ initiators: [bot.id] });
}, 90_000);
afterAll(() => vault?.close());

/** The policy as it is once these are its rules. */
async function rewrite(...rules: object[]): Promise<Policy> {
  const path = `/v1/signing-policies/${wallet.policyId}`;
  const { version, display_name } = await expectOk<Policy>(vault.admin, 'GET', path);
  return expectOk<Policy>(vault.admin, 'PUT', path, { version, display_name, rules });
}

const rule = (then: unknown, when: object = {}) => ({
  display_name: 'Rule',
  when: { operations: ['raw_sign'], initiators: { user_ids: [bot.id] }, ...when },
  then,
});

const rawSign = (client = bot.client) =>
  call(client, 'POST', `${wallet.path}/raw-sign`, { message: 'AAAA' }, PATIENT);

interface Entry {
  readonly policy?: { readonly id: string; readonly version: number };
  readonly outcome: string;
  readonly details: { readonly reason?: string };
}

/** The answer says it, and so do record and audit log. */
async function expectTold({ status, body, headers }: ClientResponse, told: string): Promise<Entry> {
  const error = { err_type: 'forbidden', err_msg: told };
  expect({ status, body }).toEqual({ status: 403, body: error });
  const id = String(headers['x-request-id']);
  const record = await expectOk<object>(vault.admin, 'GET', `/v1/requests/${id}`);
  expect(record).toMatchObject({ request_id: id, status: 'rejected', error });
  return eventually(async () => {
    const path = `/v1/audit-logs?request_id=${id}`;
    const { results } = await expectOk<{ results: Entry[] }>(vault.admin, 'GET', path);
    return results[0];
  });
}

it('a rule that denies: rule, policy, version and its conditions', async () => {
  const { version, rules } = await rewrite(rule('deny'), rule('allow', { operations: ['sign'] }));
  const told =
    `denied by rule ${rules[0]!.id} of signing policy ${wallet.policyId}, version ${version}: ` +
    'operations, initiators';
  expect(await expectTold(await rawSign(), told)).toMatchObject({
    outcome: 'denied',
    details: { reason: told },
  });
});

it('rules that do not allow it: the condition of each that does not hold', async () => {
  const velocity = { limit: '0', unit: 'count', window_s: 60, per: 'wallet' };
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
  const today = new Date().getUTCDay();
  // whatever day it is, and whatever day it becomes meanwhile
  const time = { days: [days[(today + 3) % 7]], time_zone: 'UTC' };
  const { version, rules } = await rewrite(rule('allow', { time }), rule('allow', { velocity }));
  const [first, second] = rules.map(
    ({ id }) => `rule ${id} of signing policy ${wallet.policyId}, version ${version}`,
  );
  const limit = '1 asked for, 0 count allowed in 60 s: it is more than the whole limit';
  const told = `no signing policy rule allows this request; ${first}: time; ${second} ("Rule"): velocity: ${limit}`;
  await expectTold(await rawSign(), told);
});

it('rules for another operation alone', async () => {
  const { version, rules } = await rewrite(rule('allow', { operations: ['sign'] }));
  const named = `rule ${rules[0]!.id} of signing policy ${wallet.policyId}, version ${version}`;
  const told = `no signing policy rule allows this request; ${named}: operations`;
  await expectTold(await rawSign(), told);
});

it('a freeze: its scope', async () => {
  await rewrite(rule('allow'));
  const frozen = `wallets/freeze?addresses=${wallet.address}`;
  await expectOk(vault.admin, 'POST', `/v1/vaults/${wallet.vaultId}/${frozen}`, {});
  await expectTold(await rawSign(), 'the wallet is frozen');
});

it('an administrative policy that denies: its id and version; and what none allows', async () => {
  const maker = await vault.createMachine();
  const create = () =>
    call(maker.client, 'POST', '/v1/vaults', { display_name: randomUUID() }, PATIENT);
  await expectTold(await create(), 'no administrative policy allows create_vaults');
  await grant(vault, maker.id, 'create_vaults');
  const id = await grant(vault, maker.id, 'create_vaults', { effect: 'deny' });
  const told = `denied by administrative policy for create_vaults (policy ${id}, version 1)`;
  expect(await expectTold(await create(), told)).toMatchObject({ policy: { id, version: 1 } });
});
