import { createHash, createPublicKey, randomUUID, verify } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ed25519ph } from '@noble/curves/ed25519.js';
import { address, getTransactionDecoder } from '@solana/kit';
import { findViewFault } from '@countersign/api/receipt.js';
import {
  systemOperations,
  type SystemOperations,
} from '@countersign/api/system-operations-schema.js';
import { createVerifyParty } from '@countersign/api/signed-tree.js';
import type { RawClient } from '../client/dist/calls/raw-client.js';
import { allPages, call, expectRefusal, grant } from './support/api.ts';
import { readGenesis, type PinnedGenesis } from './support/genesis.ts';
import { sendRaw, signedRaw } from './support/raw-http.ts';
import { query } from './support/signing-load.ts';
import { solanaTransfer } from './support/solana-transfer.ts';
import {
  eventually,
  expectOk,
  openSharedVault,
  PATIENT,
  type TestUser,
  type VaultInUse,
  type TestWallet,
} from './support/test-vault.ts';

type Receipt = Parameters<typeof findViewFault>[0];

interface Signed {
  signature: string;
  public_key: string;
  signed_transaction: string;
  receipt: Receipt;
}

interface Policy {
  id: string;
  version: number;
  position: number;
  display_name: string;
  rules: { id: string; display_name: string }[];
}

interface RequestRecord {
  request_id: string;
  operation: string;
  status: string;
  created_by: string;
  result?: unknown;
  error?: { err_type: string; err_msg: string };
}

type Rule = Record<string, unknown>;

let vault: VaultInUse;
let genesis: PinnedGenesis;
let bot: TestUser;
let wallet: TestWallet;
/** Its rules are the test's to set. */
let playground: TestWallet;

beforeAll(async () => {
  vault = await openSharedVault();
  genesis = await readGenesis(vault);
  bot = await vault.createMachine();
  wallet = await vault.createWallet({ initiators: [bot.id, vault.adminId] });
  playground = await vault.createWallet();
}, 60_000);
afterAll(() => vault?.close(), 60_000);

const base64 = (text: string) => Buffer.from(text).toString('base64');
const RAW_SIGN = { message: base64('hello') };
const rawSign = (client: RawClient, at = playground, body: unknown = RAW_SIGN) =>
  expectOk<Signed>(client, 'POST', `${at.path}/raw-sign`, body);
const expectRawSignRefused = (client: RawClient, text?: string, at = playground) =>
  expectRefusal('forbidden', client, 'POST', `${at.path}/raw-sign`, RAW_SIGN, text);
const sign = (client: RawClient, at = playground) =>
  expectOk<Signed>(client, 'POST', `${at.path}/sign`, transfer(at));

function openSslVerifies(rawKey: string, message: Uint8Array, signature: string): boolean {
  const x = Buffer.from(rawKey, 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, message, key, Buffer.from(signature, 'base64'));
}

const STRANGER = address('4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM');

/** A transfer that the wallet's own address pays for, unless another does. */
function transfer(from: { address: string }, feePayer = from.address, source = from.address) {
  return solanaTransfer({ source, feePayer });
}

/** For anyone, unless it says for whom. */
const rule = ({ when, ...fields }: Rule = {}): Rule => ({
  display_name: `rule ${randomUUID()}`,
  when: { initiators: 'anyone', ...(when as object | undefined) },
  then: 'allow',
  ...fields,
});

async function setRules(rules: Rule[], at = playground): Promise<Policy> {
  const path = `/v1/signing-policies/${at.policyId}`;
  const { version } = await expectOk<Policy>(vault.admin, 'GET', path);
  return expectOk(vault.admin, 'PUT', path, { display_name: 'set by test', rules, version });
}

const createGroup = (members: { member_id: string; member_type: string }[]) =>
  expectOk<{ id: string }>(vault.admin, 'POST', '/v1/security-groups', {
    display_name: `group ${randomUUID()}`,
    members,
  });

const createPolicy = (groupId: string, rules: Rule[]) =>
  expectOk<Policy>(vault.admin, 'POST', '/v1/signing-policies', {
    display_name: `policy ${randomUUID()}`,
    security_group_id: groupId,
    rules,
  });

describe('raw signing', () => {
  it('gives an Ed25519 signature that OpenSSL verifies', async () => {
    for (const text of ['hello', 'x'.repeat(65_536)]) {
      const body = { message: base64(text) };
      const answer = await rawSign(bot.client, wallet, body);
      expect(answer.public_key).toBe(wallet.publicKey);
      expect(openSslVerifies(wallet.publicKey, Buffer.from(text), answer.signature)).toBe(true);
    }
  });

  it('takes messages in every encoding and gives signatures in every one, base64 where none is said', async () => {
    const message = Buffer.from('ünïcode');
    for (const encoding of ['base64', 'hex', 'utf8', undefined] as const) {
      for (const output of ['base64url', 'hex', undefined] as const) {
        const { signature } = await rawSign(bot.client, wallet, {
          message: message.toString(encoding ?? 'base64'),
          ...(encoding !== undefined && { message_encoding: encoding }),
          ...(output !== undefined && { output_encoding: output }),
        });
        const standard = Buffer.from(signature, output ?? 'base64').toString('base64');
        expect(Buffer.from(standard, 'base64').toString(output ?? 'base64')).toBe(signature);
        expect(openSslVerifies(wallet.publicKey, message, standard)).toBe(true);
      }
    }
  });

  it('gives an Ed25519ph signature that only the prehashed scheme verifies', async () => {
    const body = { ...RAW_SIGN, scheme: 'ed25519ph' };
    const { signature } = await rawSign(bot.client, wallet, body);
    const bytes = Buffer.from(signature, 'base64');
    const key = Buffer.from(wallet.publicKey, 'base64');
    expect(ed25519ph.verify(bytes, Buffer.from('hello'), key)).toBe(true);
    expect(ed25519ph.verify(bytes, Buffer.from('hellp'), key)).toBe(false);
    expect(openSslVerifies(wallet.publicKey, Buffer.from('hello'), signature)).toBe(false);
  });

  it.each<[string, unknown]>([
    ['an empty message', { message: '' }],
    ['a message that is no base64', { message: 'h*llo' }],
    ['base64url', { message: '-_-_' }],
    ['a message beyond 64 KiB', { message: Buffer.alloc(65_537).toString('base64') }],
    ['an unknown scheme', { ...RAW_SIGN, scheme: 'ecdsa' }],
    ['an unknown field', { ...RAW_SIGN, network_id: 'solana-mainnet' }],
    ['no message', {}],
  ])('refuses %s: 422', (_what, body) =>
    expectRefusal('invalid_inputs', bot.client, 'POST', `${wallet.path}/raw-sign`, body),
  );

  it('refuses a wrong JSON type: 400, and an unknown wallet: 404 to who may look', async () => {
    const path = `${wallet.path}/raw-sign`;
    await expectRefusal('parse_error', bot.client, 'POST', path, { message: 1 });
    for (const target of [
      `/v1/vaults/${wallet.vaultId}/wallets/unknown/raw-sign`,
      `/v1/vaults/${playground.vaultId}/wallets/${wallet.address}/raw-sign`,
    ]) {
      await expectRefusal('resource_not_found', vault.admin, 'POST', target, RAW_SIGN);
      await expectRefusal('forbidden', bot.client, 'POST', target, RAW_SIGN, 'no signing policy');
    }
  });
});

describe('a stranger', () => {
  /** All of the answer but what differs between any two. */
  async function answerTo(user: TestUser, target: string, body: object): Promise<unknown> {
    const parts = { method: 'POST', target, body: JSON.stringify(body) };
    const { headers, ...rest } = await sendRaw(vault.baseUrl, signedRaw(user.credential, parts));
    const { 'x-request-id': requestId, date, ...others } = headers;
    expect([requestId, date]).not.toContain(undefined);
    return { ...rest, headers: others };
  }

  it('gets one answer, to the byte, on every signing route: nothing tells what is there', async () => {
    const stranger = await vault.createMachine();
    const frozen = await vault.createWallet({ initiators: [bot.id] });
    const freeze = `/v1/vaults/${frozen.vaultId}/wallets/freeze?addresses=${frozen.address}`;
    await expectOk(vault.admin, 'POST', freeze, {});
    const free = await expectOk<{ id: string }>(vault.admin, 'POST', '/v1/keys', {
      type: 'ed25519',
      display_name: `seen by few ${randomUUID()}`,
    });
    const answers: unknown[] = [];
    for (const place of [
      ...[wallet, frozen].map(({ path }) => path),
      `/v1/vaults/${wallet.vaultId}/wallets/unknown`,
      ...[free.id, wallet.keyId, randomUUID()].map((id) => `/v1/keys/${id}`),
    ]) {
      for (const way of ['sign', 'raw-sign']) {
        for (const body of [RAW_SIGN, {}]) {
          answers.push(await answerTo(stranger, `${place}/${way}`, body));
        }
      }
    }
    expect(answers).toHaveLength(24);
    expect(answers[0]).toMatchObject({ status: 403, body: { err_type: 'forbidden' } });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });
});

describe('signing a Solana transaction', () => {
  it('gives a transaction that the chain takes', async () => {
    const { signature, signed_transaction: signed } = await sign(bot.client, wallet);
    const { messageBytes, signatures } = getTransactionDecoder().decode(
      Buffer.from(signed, 'base64'),
    );
    expect(openSslVerifies(wallet.publicKey, Uint8Array.from(messageBytes), signature)).toBe(true);
    expect(Buffer.from(signatures[address(wallet.address)]!).toString('base64')).toBe(signature);
  });

  it("signs in the wallet's own place where another pays the fee", async () => {
    const body = transfer(wallet, STRANGER);
    const { signature, signed_transaction: signed } = await expectOk<Signed>(
      bot.client,
      'POST',
      `${wallet.path}/sign`,
      body,
    );
    const { signatures } = getTransactionDecoder().decode(Buffer.from(signed, 'base64'));
    expect(Object.keys(signatures)).toEqual([STRANGER, wallet.address]);
    expect(signatures[STRANGER]).toBeNull();
    expect(Buffer.from(signatures[address(wallet.address)]!).toString('base64')).toBe(signature);
  });

  it('refuses what it cannot decode, cannot sign or is for another network: 422', async () => {
    const good = transfer(wallet);
    const cut = Buffer.from(good.transaction, 'base64').subarray(0, -1).toString('base64');
    const longer = Buffer.concat([Buffer.from(good.transaction, 'base64'), Buffer.alloc(1)]);
    for (const [body, text] of [
      [{ ...good, transaction: cut }, 'undecodable'],
      [{ ...good, transaction: longer.toString('base64') }, 'undecodable'],
      [{ ...good, transaction: base64('nonsense') }, 'undecodable'],
      [transfer(wallet, STRANGER, STRANGER), 'not one of its signers'],
      [transfer(playground), 'not one of its signers'],
      [{ ...good, network_id: 'sui-mainnet' }, 'network_id'],
      [{ ...good, network_id: 'solana-devnet' }, 'network_id'],
      [{ ...good, network_id: 'nowhere' }, 'network_id'],
      [{ transaction: good.transaction }, 'network_id'],
    ] as const) {
      const target = `${wallet.path}/sign`;
      await expectRefusal('invalid_inputs', bot.client, 'POST', target, body, text);
    }
  });

  it('refuses a family without a decoder: 422', async () => {
    const sui = await vault.createWallet({ initiators: [bot.id], networkFamily: 'sui' });
    const body = { network_id: 'sui-mainnet', transaction: base64('bytes') };
    await expectRefusal('invalid_inputs', bot.client, 'POST', `${sui.path}/sign`, body, 'raw-sign');
    await rawSign(bot.client, sui);
  });
});

describe('signing policies', () => {
  const admins = () => ({ user_ids: [vault.adminId] });
  const bots = () => ({ user_ids: [bot.id] });
  const both = ['sign', 'raw_sign'];

  it('deny what no rule allows, administrators included', async () => {
    const lonely = await vault.createWallet({ initiators: [bot.id], operations: ['raw_sign'] });
    await expectRawSignRefused(vault.admin, 'no signing policy rule', lonely);
    const target = `${lonely.path}/sign`;
    await expectRefusal('forbidden', bot.client, 'POST', target, transfer(lonely));
    await rawSign(bot.client, lonely);
  });

  it('allow raw signing only by a rule that names it: silence never covers it', async () => {
    await setRules([rule()]);
    await expectRawSignRefused(bot.client);
    await sign(bot.client);
    await setRules([rule({ when: { operations: ['raw_sign'] } })]);
    await rawSign(bot.client);
    const target = `${playground.path}/sign`;
    await expectRefusal('forbidden', bot.client, 'POST', target, transfer(playground));
  });

  it('match initiators by user and by group', async () => {
    const group = await expectOk<{ id: string }>(vault.admin, 'POST', '/v1/user-groups', {
      display_name: `signers ${randomUUID()}`,
    });
    const initiators = { user_group_ids: [group.id], user_ids: [bot.id] };
    await setRules([rule({ when: { operations: both, initiators } })]);
    const member = await vault.createMachine({ user_group_ids: [group.id] });
    await rawSign(bot.client);
    await rawSign(member.client);
    await expectRawSignRefused(vault.admin);
    await expectOk(vault.admin, 'PUT', `/v1/users/${member.id}`, { user_group_ids: [] });
    await expectRawSignRefused(member.client);
  });

  it('match the network of what is signed; raw signing has none', async () => {
    await setRules([rule({ when: { operations: both, networks: ['solana-mainnet'] } })]);
    await sign(bot.client);
    await expectRawSignRefused(bot.client);
    await setRules([rule({ when: { operations: both, networks: ['near-mainnet'] } })]);
    const target = `${playground.path}/sign`;
    await expectRefusal('forbidden', bot.client, 'POST', target, transfer(playground));
  });

  it('are decided by the first rule that matches', async () => {
    const deny = rule({ when: { operations: both, initiators: bots() }, then: 'deny' });
    const allow = rule({ when: { operations: both } });
    const { rules } = await setRules([deny, allow]);
    await expectRawSignRefused(bot.client, rules[0]!.id);
    await rawSign(vault.admin);
    const narrow = rule({ when: { operations: both, initiators: bots() } });
    await setRules([narrow, rule({ when: { operations: both }, then: 'deny' })]);
    await rawSign(bot.client);
    await expectRawSignRefused(vault.admin, 'denied');
  });

  it('pass over a disabled rule', async () => {
    const deny = rule({ enabled: false, when: { operations: both }, then: 'deny' });
    await setRules([deny, rule({ when: { operations: both } })]);
    await rawSign(bot.client);
    await setRules([rule({ enabled: false, when: { operations: both } })]);
    await expectRawSignRefused(bot.client);
  });

  it('of several groups must not deny, and one must allow', async () => {
    const members = [{ member_id: playground.walletId, member_type: 'wallet' }];
    const second = await createGroup(members);
    await setRules([rule({ when: { operations: both } })]);
    await rawSign(bot.client);
    const deny = await createPolicy(second.id, [
      rule({ when: { operations: both, initiators: bots() }, then: 'deny' }),
    ]);
    await expectRawSignRefused(bot.client, deny.rules[0]!.id);
    await rawSign(vault.admin);
    await expectOk(vault.admin, 'DELETE', `/v1/signing-policies/${deny.id}`);
    await setRules([rule({ when: { operations: ['sign'] } })]);
    await expectRawSignRefused(bot.client);
    const allow = await createPolicy(second.id, [rule({ when: { operations: both } })]);
    await rawSign(bot.client);
    const member = `/v1/security-groups/${second.id}/members?member_ids=${playground.walletId}`;
    await expectOk(vault.admin, 'DELETE', member);
    await expectRawSignRefused(bot.client);
    await expectOk(vault.admin, 'DELETE', `/v1/signing-policies/${allow.id}`);
    await expectOk(vault.admin, 'DELETE', `/v1/security-groups/${second.id}`);
  });

  it('of one group are evaluated in the order that its endpoint sets', async () => {
    const { rules } = await setRules([rule({ when: { operations: both }, then: 'deny' })]);
    const allow = await createPolicy(playground.groupId, [rule({ when: { operations: both } })]);
    expect(allow.position).toBe(2);
    await expectRawSignRefused(bot.client, rules[0]!.id);
    const target = `/v1/security-groups/${playground.groupId}/signing-policy-order`;
    const order = (ids: string[]) => ({ signing_policy_ids: ids });
    const ids = [allow.id, playground.policyId];
    expect(await expectOk(vault.admin, 'PUT', target, order(ids))).toMatchObject(order(ids));
    await rawSign(bot.client);
    const listed = await allPages<Policy>(
      vault.admin,
      `/v1/signing-policies?limit=1&security_group_id=${playground.groupId}`,
    );
    expect(Object.fromEntries(listed.map((row) => [row.id, row.position]))).toEqual({
      [allow.id]: 1,
      [playground.policyId]: 2,
    });
    for (const wrong of [[], [allow.id], [...ids, wallet.policyId], [allow.id, allow.id]]) {
      await expectRefusal('invalid_inputs', vault.admin, 'PUT', target, order(wrong));
    }
    const found = await allPages<{ id: string }>(
      vault.admin,
      `/v1/security-groups?limit=1&signing_policy_id=${allow.id}`,
    );
    expect(found.map((row) => row.id)).toEqual([playground.groupId]);
    await expectOk(vault.admin, 'DELETE', `/v1/signing-policies/${allow.id}`);
  });

  it('take effect at once, and a stale version changes nothing: 409', async () => {
    const { version } = await setRules([rule({ when: { operations: both } })]);
    await rawSign(bot.client);
    await setRules([rule({ when: { operations: both }, then: 'deny' })]);
    await expectRawSignRefused(bot.client);
    const body = { display_name: 'late', rules: [rule()], version };
    const path = `/v1/signing-policies/${playground.policyId}`;
    await expectRefusal('resource_conflict', vault.admin, 'PUT', path, body);
    await expectRawSignRefused(bot.client);
  });

  it.each<[string, () => Rule[]]>([
    ['a rule behind one that decides everything', () => [rule(), rule()]],
    [
      'a rule behind a wider one',
      () => [
        rule({ when: { operations: both }, then: 'deny' }),
        rule({ when: { operations: ['raw_sign'], initiators: admins() } }),
      ],
    ],
    [
      'a rule behind one with more networks',
      () => [
        rule({ when: { networks: ['solana-mainnet', 'sui-mainnet'] } }),
        rule({ when: { networks: ['sui-mainnet'] }, then: 'deny' }),
      ],
    ],
    [
      'raw signing on a network',
      () => [rule({ when: { operations: ['raw_sign'], networks: ['solana-mainnet'] } })],
    ],
    ['approvals', () => [rule({ then: { require_approvals: { quorum: 1 } } })]],
    ['an unknown outcome', () => [rule({ then: 'maybe' })]],
    ['an unknown operation', () => [rule({ when: { operations: ['burn'] } })]],
    ['an unknown network', () => [rule({ when: { networks: ['nowhere'] } })]],
    ['a testnet while testnets are off', () => [rule({ when: { networks: ['solana-devnet'] } })]],
    ['an unknown user', () => [rule({ when: { initiators: { user_ids: [randomUUID()] } } })]],
    ['an unknown condition', () => [rule({ when: { colour: 'red' } })]],
    ['no rule', () => []],
    [
      'a value in USD while these conditions are disabled',
      () => [rule({ when: { usd_value: { max: '1' } } })],
    ],
  ])('cannot state %s: 422', async (_what, rules) => {
    const body = {
      display_name: 'x',
      security_group_id: playground.groupId,
      rules: rules(),
    };
    await expectRefusal('invalid_inputs', vault.admin, 'POST', '/v1/signing-policies', body);
    const path = `/v1/signing-policies/${playground.policyId}`;
    const { version } = await expectOk<Policy>(vault.admin, 'GET', path);
    const update = { display_name: 'x', rules: rules(), version };
    await expectRefusal('invalid_inputs', vault.admin, 'PUT', path, update);
  });

  it('may keep a rule behind a wider one that is disabled', async () => {
    const rules = [rule({ enabled: false }), rule({ when: { initiators: admins() } })];
    expect((await setRules(rules)).rules).toHaveLength(2);
  });

  it('hold a group that has them: it is not deleted', async () => {
    const target = `/v1/security-groups/${playground.groupId}`;
    await expectRefusal('resource_conflict', vault.admin, 'DELETE', target);
  });

  describe('tried on what is on record', () => {
    interface Tried {
      results: { request_id: string; change: string; recorded: object; draft: object }[];
      totals: Record<string, number>;
      next_cursor: string | null;
    }
    const path = '/v1/signing-policies/backtest';
    const bodyOf = (startedAt: number, rules: Rule[]) => ({
      security_group_id: playground.groupId,
      rules,
      from: new Date(startedAt).toISOString(),
      to: new Date(Date.now() + 60_000).toISOString(),
    });

    /** The whole period: other requests to the vault that files share are read as well. */
    async function backtest(startedAt: number, rules: Rule[]): Promise<Tried['results']> {
      const body = bodyOf(startedAt, rules);
      const results: Tried['results'] = [];
      let cursor: string | null | undefined;
      do {
        const page = { ...body, ...(cursor && { cursor }) };
        const answer = await expectOk<Tried>(vault.admin, 'POST', path, page);
        results.push(...answer.results);
        cursor = answer.next_cursor;
      } while (cursor !== null);
      return results;
    }

    it('tell which signatures would not have been given, and which refusals would not', async () => {
      const startedAt = Date.now();
      const { rules, id, version } = await setRules([
        rule({ when: { operations: both, initiators: admins() } }),
      ]);
      const { receipt } = await rawSign(vault.admin);
      const refused = await call(bot.client, 'POST', `${playground.path}/raw-sign`, RAW_SIGN);
      const large = { message: Buffer.alloc(8_192).toString('base64') };
      const notKept = await call(bot.client, 'POST', `${playground.path}/raw-sign`, large);
      expect([refused.status, notKept.status]).toEqual([403, 403]);
      const results = await backtest(startedAt, [
        rule({ when: { operations: both, initiators: bots() } }),
      ]);
      expect(results).toEqual([
        expect.objectContaining({
          request_id: receipt.request_id,
          change: 'newly_denied',
          recorded: {
            outcome: 'allow',
            reason: null,
            policy: { id, version, rule_id: rules[0]!.id },
          },
          draft: expect.objectContaining({ outcome: 'deny', policy: null }),
        }),
        expect.objectContaining({
          request_id: refused.headers['x-request-id'],
          change: 'newly_allowed',
          recorded: expect.objectContaining({ outcome: 'deny', policy: null }),
          draft: expect.objectContaining({ outcome: 'allow', place: 'policies.0.rules.0' }),
        }),
        expect.objectContaining({
          request_id: notKept.headers['x-request-id'],
          change: 'cannot_say',
          because: 'the record holds no request',
          draft: null,
        }),
      ]);
      const shown = JSON.stringify(results);
      for (const { apiKey } of [bot.credential, vault.adminCredential]) {
        expect(shown).not.toContain(apiKey);
      }
    });

    it('is for those alone who may set the rules of the group', async () => {
      const body = bodyOf(Date.now() - 1, [rule()]);
      const officer = await vault.createMachine();
      await grant(vault, officer.id, 'view_system_resources');
      await expectRefusal('forbidden', officer.client, 'POST', path, body);
      // the group is in no vault alone
      await grant(vault, officer.id, 'manage_signing_policies', { vaultIds: [playground.vaultId] });
      await expectRefusal('forbidden', officer.client, 'POST', path, body);
      const there = await expectOk<{ id: string }>(vault.admin, 'POST', '/v1/security-groups', {
        display_name: `group ${randomUUID()}`,
        vault_ids: [playground.vaultId],
      });
      await expectOk(officer.client, 'POST', path, { ...body, security_group_id: there.id });
      await grant(vault, officer.id, 'manage_signing_policies');
      await expectOk(officer.client, 'POST', path, body);
      const unknown = { ...body, security_group_id: randomUUID() };
      await expectRefusal('resource_not_found', vault.admin, 'POST', path, unknown);
      const backwards = { ...body, to: body.from };
      await expectRefusal('invalid_inputs', vault.admin, 'POST', path, backwards);
    });
  });

  describe('evaluated without signing', () => {
    const evaluate = (fields: Record<string, unknown> = {}, client = vault.admin) =>
      expectOk<{ outcome: string; reason: string; policy: unknown; trace: unknown[] }>(
        client,
        'POST',
        '/v1/signing-policies/evaluate',
        {
          operation: 'raw_sign',
          vault_id: playground.vaultId,
          address: playground.address,
          ...fields,
        },
      );

    it('tell of a raw message by its hash, which is all that is known of it', async () => {
      await setRules([rule({ when: { operations: both, initiators: admins() } })]);
      const message = Buffer.from('whatever it says');
      const { outcome, facts } = (await evaluate({ message: message.toString('base64') })) as {
        outcome: string;
        facts?: Record<string, unknown>;
      };
      expect(outcome).toBe('allow');
      expect(facts).toMatchObject({
        operation: 'raw_sign',
        message_sha256: createHash('sha256').update(message).digest('hex'),
      });
    });

    it('tell the outcome and the part of every rule up to the deciding one', async () => {
      const { rules, id, version } = await setRules([
        rule({ enabled: false, when: { operations: both } }),
        rule({ when: { operations: ['sign'], initiators: admins() } }),
        rule({ when: { operations: both, initiators: admins() } }),
        rule({ when: { operations: both, networks: ['solana-mainnet'] }, then: 'deny' }),
        rule({ when: { operations: ['raw_sign'] }, then: 'deny' }),
      ]);
      const step = (index: number, result: string, failed?: string) => ({
        policy_id: id,
        rule_id: rules[index]!.id,
        result,
        ...(failed !== undefined && { failed_condition: failed }),
      });
      const before = [step(0, 'disabled'), step(1, 'not_matched', 'operations')];
      expect(await evaluate()).toEqual({
        outcome: 'allow',
        reason: expect.any(String),
        policy: { id, version, rule_id: rules[2]!.id },
        facts: expect.objectContaining({ operation: 'raw_sign', user_id: vault.adminId }),
        trace: [...before, step(2, 'matched')],
      });
      expect(await evaluate({ user_id: bot.id })).toEqual({
        outcome: 'deny',
        reason: expect.stringContaining(rules[4]!.id),
        policy: { id, version, rule_id: rules[4]!.id },
        facts: expect.objectContaining({ operation: 'raw_sign', user_id: bot.id }),
        trace: [
          ...before,
          step(2, 'not_matched', 'initiators'),
          step(3, 'not_matched', 'networks'),
          step(4, 'matched'),
        ],
      });
    });

    it('say what the request itself would say', async () => {
      await setRules([rule({ when: { operations: both, networks: ['solana-mainnet'] } })]);
      expect((await evaluate({ operation: 'sign', network_id: 'solana-mainnet' })).outcome).toBe(
        'allow',
      );
      expect(await evaluate()).toMatchObject({ outcome: 'deny', policy: null });
      const target = '/v1/signing-policies/evaluate';
      const where = { vault_id: playground.vaultId, address: playground.address };
      for (const body of [
        // a raw signature has no network: stating one would make a rule match that never will
        { ...where, operation: 'raw_sign', network_id: 'solana-mainnet' },
        { ...where, operation: 'sign', network_id: 'sui-mainnet' },
        { ...where, operation: 'sign', network_id: 'nowhere' },
        { ...where, operation: 'burn' },
        { ...where, operation: 'sign', user_id: randomUUID() },
        { ...where, operation: 'sign', key_id: playground.keyId },
        { operation: 'sign' },
      ]) {
        await expectRefusal('invalid_inputs', vault.admin, 'POST', target, body);
      }
      const unknown = { operation: 'sign', ...where, address: 'unknown' };
      await expectRefusal('resource_not_found', vault.admin, 'POST', target, unknown);
    });

    it('may be a draft, of a transaction whose facts are told', async () => {
      await setRules([rule({ when: { operations: ['raw_sign'] } })]);
      const { network_id, transaction } = transfer(playground);
      const draft = (when: object) =>
        evaluate({ operation: 'sign', network_id, transaction, rules: [rule({ when })] });
      const assets = ['solana-mainnet/sol'];
      const allowed = await draft({ assets });
      expect(allowed).toMatchObject({ outcome: 'allow', facts: { assets, undecidable: [] } });
      expect(await draft({ assets, destinations: ['elsewhere'] })).toMatchObject({
        outcome: 'deny',
        reason: expect.stringContaining('destinations'),
        policy: null,
      });
      expect(await evaluate({ operation: 'sign', network_id, transaction })).toMatchObject({
        outcome: 'deny',
      });
    });

    it('tell of a frozen target or initiator', async () => {
      await setRules([rule({ when: { operations: both } })]);
      const sleeper = await vault.createMachine();
      expect((await evaluate({ user_id: sleeper.id })).outcome).toBe('allow');
      await expectOk(vault.admin, 'POST', `/v1/users/freeze?user_ids=${sleeper.id}`);
      expect(await evaluate({ user_id: sleeper.id })).toMatchObject({
        outcome: 'deny',
        reason: expect.stringContaining('user is frozen'),
      });
      const wallets = `/v1/vaults/${playground.vaultId}/wallets`;
      const query = `addresses=${playground.address}`;
      await expectOk(vault.admin, 'POST', `${wallets}/freeze?${query}`);
      expect(await evaluate()).toMatchObject({
        outcome: 'deny',
        reason: expect.stringContaining('wallet is frozen'),
      });
      await expectOk(vault.admin, 'POST', `${wallets}/unfreeze?${query}`);
    });
  });
});

describe('keys without a wallet', () => {
  interface Key {
    id: string;
    public_key: { raw: string; pem: string };
    attestations: unknown[];
    status: string;
  }
  const generate = (fields: Record<string, unknown> = {}) =>
    expectOk<Key>(
      vault.admin,
      'POST',
      '/v1/keys',
      { type: 'ed25519', display_name: `key ${randomUUID()}`, ...fields },
      { prefer: 'wait=30' },
    );
  let key: Key;
  let path: string;

  beforeAll(async () => {
    key = await generate({
      venue_id: 'venue_a',
      venue_api_key: 'public-part',
      labels: { desk: 'one' },
    });
    path = `/v1/keys/${key.id}`;
    const group = await createGroup([{ member_id: key.id, member_type: 'key' }]);
    await createPolicy(group.id, [
      rule({ when: { operations: ['raw_sign'], initiators: { user_ids: [bot.id] } } }),
    ]);
  });

  it('are generated, read and listed by venue, type, name and id', async () => {
    expect(key).toMatchObject({
      type: 'ed25519',
      custody: 'mpc',
      venue_id: 'venue_a',
      venue_api_key: 'public-part',
      labels: { desk: 'one' },
      status: 'active',
      version: 1,
    });
    expect(key.attestations).toHaveLength(3);
    expect(await expectOk<Key>(vault.admin, 'GET', path)).toEqual(key);
    const x = createPublicKey(key.public_key.pem).export({ format: 'jwk' }).x!;
    expect(Buffer.from(x, 'base64url').toString('base64')).toBe(key.public_key.raw);
    const other = await generate({ venue_id: 'venue_b' });
    const plain = await generate({ display_name: 'Plain ONE' });
    const list = async (query: string) =>
      (await allPages<Key>(vault.admin, `/v1/keys?limit=2&${query}`)).map((row) => row.id);
    expect(await list('venue_ids=venue_a')).toEqual([key.id]);
    expect(await list('venue_ids=venue_b,venue_a')).toEqual([key.id, other.id]);
    expect(await list('venue_ids=venue')).toEqual([]);
    expect(await list('display_name_like=plain%20one')).toEqual([plain.id]);
    expect(await list(`key_ids=${plain.id},${key.id}`)).toEqual([key.id, plain.id]);
    const own = `key_ids=${key.id},${other.id},${plain.id}`;
    expect(await list(`${own}&types=rsa,hmac`)).toEqual([]);
    expect(await list(`${own}&types=ed25519`)).toEqual([key.id, other.id, plain.id]);
    await expectRefusal('parse_error', vault.admin, 'GET', '/v1/keys?venue_ids=a,,b');
    await expectRefusal('parse_error', vault.admin, 'GET', '/v1/keys?types=dsa');
    const nowhere = `/v1/keys/${randomUUID()}`;
    await expectRefusal('resource_not_found', vault.admin, 'GET', nowhere);
  });

  it('sign raw messages of every encoding into every encoding', async () => {
    const message = Buffer.from('ünïcode');
    for (const encoding of ['base64', 'hex', 'utf8', undefined] as const) {
      for (const output of ['base64', 'base64url', 'hex', undefined] as const) {
        const { signature } = await expectOk<Signed>(bot.client, 'POST', `${path}/raw-sign`, {
          message: message.toString(encoding ?? 'base64'),
          ...(encoding !== undefined && { message_encoding: encoding }),
          ...(output !== undefined && { output_encoding: output }),
        });
        const standard = Buffer.from(signature, output ?? 'base64').toString('base64');
        expect(openSslVerifies(key.public_key.raw, message, standard)).toBe(true);
        expect(Buffer.from(standard, 'base64').toString(output ?? 'base64')).toBe(signature);
      }
    }
  });

  it('refuse a message that is not in its encoding: 422', async () => {
    for (const body of [
      { message: 'abc', message_encoding: 'hex' },
      { message: 'zz', message_encoding: 'hex' },
      { message: '!', message_encoding: 'base64' },
      { message: '', message_encoding: 'utf8' },
      { message: 'aa', message_encoding: 'latin1' },
      { message: 'aa' },
      { message: 'aa', message_encoding: 'hex', output_encoding: 'pem' },
    ]) {
      const target = `${path}/raw-sign`;
      await expectRefusal('invalid_inputs', bot.client, 'POST', target, body);
    }
  });

  it('obey their signing policies, and sign nothing for others', async () => {
    const body = { message: 'x', message_encoding: 'utf8' };
    await expectRefusal('forbidden', vault.admin, 'POST', `${path}/raw-sign`, body);
    const free = await generate();
    await expectRefusal('forbidden', bot.client, 'POST', `/v1/keys/${free.id}/raw-sign`, body);
  });

  it("do not include a wallet's key: it signs through its wallet alone", async () => {
    const body = { message: 'x', message_encoding: 'utf8' };
    const target = `/v1/keys/${wallet.keyId}/raw-sign`;
    await expectRefusal('forbidden', bot.client, 'POST', target, body, 'wallet');
    const group = await createGroup([]);
    const member = `/v1/security-groups/${group.id}/members/${wallet.keyId}`;
    await expectRefusal('invalid_inputs', vault.admin, 'PUT', member, undefined, 'wallet');
  });
});

describe('a receipt', () => {
  let signed: Signed;
  beforeAll(async () => {
    signed = await rawSign(bot.client, wallet);
  });
  const fault = (receipt: Receipt, { genesisHash, parties } = genesis) =>
    findViewFault(receipt, { genesisHash, verifyParty: createVerifyParty(parties) });

  it('says what was signed under which rule, and holds offline', async () => {
    const { receipt } = signed;
    const path = `/v1/signing-policies/${wallet.policyId}`;
    const policy = await expectOk<Policy>(vault.admin, 'GET', path);
    expect(receipt).toMatchObject({
      key_id: wallet.keyId,
      message_sha256: createHash('sha256').update('hello').digest('hex'),
      policy: { id: policy.id, version: policy.version, rule_id: policy.rules[0]!.id },
      approvals: [],
    });
    expect(new Set(receipt.parties).size).toBe(2);
    expect(fault(receipt)).toBeUndefined();
  });

  it('cites a version of the policy that can be read for good', async () => {
    const { policyId, ...lent } = await vault.createWallet({ initiators: [bot.id] });
    const path = `/v1/signing-policies/${policyId}`;
    const { receipt } = await rawSign(bot.client, { policyId, ...lent });
    const cited = await expectOk<Policy>(vault.admin, 'GET', path);
    await expectOk(vault.admin, 'PUT', path, { ...cited, display_name: 'another' });
    await expectOk(vault.admin, 'DELETE', path);
    const { version, id, rule_id: ruleId } = receipt.policy;
    const kept = await expectOk<Policy>(vault.admin, 'GET', `${path}/versions/${version}`);
    // its position is the group's
    expect(cited).toMatchObject(kept);
    expect([id, kept.rules.map((rule) => rule.id)]).toEqual([policyId, [ruleId]]);
    const next = await expectOk<Policy>(vault.admin, 'GET', `${path}/versions/${version + 1}`);
    expect(next).toMatchObject({ display_name: 'another' });
  });

  it('of a transaction is about the message that was signed', async () => {
    const answer = await sign(bot.client, wallet);
    const wire = Buffer.from(answer.signed_transaction, 'base64');
    const { messageBytes } = getTransactionDecoder().decode(wire);
    const digest = createHash('sha256').update(Uint8Array.from(messageBytes)).digest('hex');
    expect(answer.receipt.message_sha256).toBe(digest);
    expect(fault(answer.receipt)).toBeUndefined();
  });

  it.each<[string, (receipt: Receipt) => Partial<Receipt>]>([
    ['request', () => ({ request_id: randomUUID() })],
    ['key', () => ({ key_id: randomUUID() })],
    ['message', () => ({ message_sha256: '00'.repeat(32) })],
    ['policy', ({ policy }) => ({ policy: { ...policy, id: randomUUID() } })],
    ['version', ({ policy }) => ({ policy: { ...policy, version: policy.version + 1 } })],
    ['rule', ({ policy }) => ({ policy: { ...policy, rule_id: randomUUID() } })],
    ['signature', () => ({ signature_sha256: '00'.repeat(32) })],
    ['answer', () => ({ answer_sha256: '00'.repeat(32) })],
    ['approvals', () => ({ approvals: [{ user_id: vault.adminId, entry_hash: '00'.repeat(32) }] })],
    ['ledger position', ({ ledger_seq: seq }) => ({ ledger_seq: seq + 1 })],
    ['time', () => ({ signed_at: '2020-01-01T00:00:00.000Z' })],
    ['malformed time', () => ({ signed_at: 'yesterday' })],
    ['order of parties', ({ parties }) => ({ parties: parties.toReversed() })],
    ['same party twice', ({ parties }) => ({ parties: [parties[0]!, parties[0]!] })],
    ['unknown party', ({ parties }) => ({ parties: [parties[0]!, 9] })],
    ['single party', ({ parties }) => ({ parties: [parties[0]!] })],
    ['one signature', ({ signatures }) => ({ signatures: signatures.slice(0, 1) })],
    ['no signature', () => ({ signatures: [] })],
    [
      'swapped signatures',
      ({ signatures: [lead, partner] }) => ({
        signatures: [
          { ...lead!, signature: partner!.signature },
          { ...partner!, signature: lead!.signature },
        ],
      }),
    ],
  ])('with another %s does not hold', (_what, change) => {
    const { receipt } = signed;
    expect(fault({ ...receipt, ...change(receipt) })).toEqual(expect.any(String));
  });

  it('does not hold for another deployment', () => {
    expect(fault(signed.receipt, { ...genesis, genesisHash: '00'.repeat(32) })).toBeDefined();
  });
});

describe('a signing request', () => {
  const read = (client: RawClient, id: string) =>
    expectOk<RequestRecord>(client, 'GET', `/v1/requests/${id}`);

  it('can be read again: its record has the same answer', async () => {
    for (const answer of [await rawSign(bot.client, wallet), await sign(bot.client, wallet)]) {
      const record = await read(bot.client, answer.receipt.request_id);
      expect(record).toMatchObject({ status: 'completed', created_by: bot.id });
      expect(record.result).toEqual(answer);
    }
  });

  it('is seen by its creator and by those who may view, by nobody else', async () => {
    const { receipt } = await rawSign(bot.client, wallet);
    const stranger = await vault.createMachine();
    const target = `/v1/requests/${receipt.request_id}`;
    await expectRefusal('resource_not_found', stranger.client, 'GET', target);
    await grant(vault, stranger.id, 'view_system_resources');
    const { result, ...others } = await read(bot.client, receipt.request_id);
    expect(result).toMatchObject({ receipt });
    expect(await read(stranger.client, receipt.request_id)).toEqual(others);
    for (const id of [randomUUID(), 'malformed']) {
      await expectRefusal('resource_not_found', vault.admin, 'GET', `/v1/requests/${id}`);
    }
  });

  it('is answered 202 where the caller prefers, and completes in the background', async () => {
    for (const prefer of ['respond-async', 'wait=0', 'respond-async, wait=0']) {
      const target = `${wallet.path}/raw-sign`;
      const accepted = await call(bot.client, 'POST', target, RAW_SIGN, { prefer });
      expect(accepted.status).toBe(202);
      const { request_id: id } = accepted.body as { request_id: string };
      const record = await eventually(async () => {
        const found = await read(bot.client, id);
        return found.status === 'processing' ? undefined : found;
      });
      expect(record).toMatchObject({ status: 'completed', operation: 'raw-sign' });
      const { signature, receipt } = record.result as Signed;
      expect(openSslVerifies(wallet.publicKey, Buffer.from('hello'), signature)).toBe(true);
      expect(receipt.request_id).toBe(id);
    }
  });

  it('is answered at once where the caller prefers to wait', async () => {
    for (const prefer of ['wait=30', 'wait=999999', 'respond-async, wait=10', 'nonsense']) {
      const target = `${wallet.path}/raw-sign`;
      const answer = () => call(bot.client, 'POST', target, RAW_SIGN, { prefer });
      // what cannot be understood means the default, in which a slow machine may not be done at once
      await eventually(async () => (await answer()).status === 200);
    }
  });
});

describe('an idempotency key', () => {
  let key: string;
  beforeEach(() => {
    key = randomUUID();
  });
  const send = (client: RawClient, target: string, body: unknown, as = key) =>
    call(client, 'POST', target, body, { 'idempotency-key': as, ...PATIENT });

  it('makes two signing requests one: the same request and signature', async () => {
    const target = `${wallet.path}/raw-sign`;
    const first = await send(bot.client, target, RAW_SIGN);
    const second = await send(bot.client, target, RAW_SIGN);
    expect(first.status).toBe(200);
    expect(second).toMatchObject({ status: 200, body: first.body });
    const other = { message: base64('other') };
    expect((await send(bot.client, target, other)).status).toBe(409);
    expect((await send(bot.client, `${playground.path}/raw-sign`, RAW_SIGN)).status).not.toBe(200);
    const own = await send(vault.admin, target, RAW_SIGN);
    expect(own.status).toBe(200);
    expect(own.body).not.toEqual(first.body);
  });

  it('still leads to the first answer when the policy has changed since', async () => {
    await setRules([rule({ when: { operations: ['raw_sign'] } })]);
    const target = `${playground.path}/raw-sign`;
    const first = await send(bot.client, target, RAW_SIGN);
    expect(first.status).toBe(200);
    await setRules([rule({ when: { operations: ['raw_sign'] }, then: 'deny' })]);
    expect(await send(bot.client, target, RAW_SIGN)).toMatchObject({
      status: 200,
      body: first.body,
    });
    expect((await send(bot.client, target, RAW_SIGN, randomUUID())).status).toBe(403);
  });

  it('makes two writes one: the same user, API key included', async () => {
    const body = { display_name: `once ${key}` };
    const first = await send(vault.admin, '/v1/vaults', body);
    const second = await send(vault.admin, '/v1/vaults', body);
    expect(first.status).toBe(200);
    expect(second).toMatchObject({ status: 200, body: first.body });
    const other = { display_name: `twice ${key}` };
    expect((await send(vault.admin, '/v1/vaults', other)).status).toBe(409);
    expect((await send(vault.admin, '/v1/user-groups', body)).status).toBe(409);
    const target = `/v1/vaults?limit=5&display_name_like=${key}`;
    expect(await allPages(vault.admin, target)).toHaveLength(1);
  });

  it('makes concurrent writes one', async () => {
    const body = { display_name: `race ${key}` };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => send(vault.admin, '/v1/vaults', body)),
    );
    for (const { status } of answers) expect([200, 202]).toContain(status);
    const target = `/v1/vaults?limit=5&display_name_like=${key}`;
    expect(await allPages(vault.admin, target)).toHaveLength(1);
  });

  describe('whose first request died with its gateway', () => {
    const target = () => `${wallet.path}/raw-sign`;

    /** As a gateway leaves it that dies right after the claim. */
    async function abandon(seconds: number): Promise<string> {
      const requestId = randomUUID();
      const body = JSON.stringify(RAW_SIGN);
      const fingerprint = createHash('sha256').update(`POST ${target()}?\n${body}`).digest();
      await query(
        vault.servers.roleUrls.gateway,
        `INSERT INTO idempotency_key (created_by, key, body_sha256, request_id, created_at)
         VALUES ($1, $2, $3, $4, now() - $5 * interval '1 second')`,
        [bot.id, key, fingerprint, requestId, seconds],
      );
      return requestId;
    }

    it('leads to that request while it might still be signed', async () => {
      const requestId = await abandon(40);
      expect(await send(bot.client, target(), RAW_SIGN)).toMatchObject({
        status: 202,
        body: { request_id: requestId },
      });
    });

    it('has a record from when its id is told, also after another has taken its key', async () => {
      const requestId = await abandon(40);
      const record = () => call(bot.client, 'GET', `/v1/requests/${requestId}`);
      expect((await record()).status).toBe(404);
      await send(bot.client, target(), RAW_SIGN);
      const told = { request_id: requestId, operation: 'raw-sign', created_by: bot.id };
      expect(await record()).toMatchObject({ status: 200, body: told });
      const stranger = await vault.createMachine();
      expect((await call(stranger.client, 'GET', `/v1/requests/${requestId}`)).status).toBe(404);
      await query(
        vault.servers.ownerUrl,
        `UPDATE idempotency_key SET created_at = now() - interval '50 s' WHERE key = $1`,
        [key],
      );
      expect((await send(bot.client, target(), RAW_SIGN)).status).toBe(200);
      expect(await record()).toMatchObject({ body: { ...told, status: 'expired' } });
    });

    it('has a record as a change of the vault too', async () => {
      const [requestId, body] = [randomUUID(), { display_name: `dead ${key}` }];
      const bytes = JSON.stringify(body);
      await query(
        vault.servers.roleUrls.gateway,
        `INSERT INTO idempotency_key (created_by, key, body_sha256, request_id, created_at)
         VALUES ($1, $2, $3, $4, now())`,
        [
          vault.adminId,
          key,
          createHash('sha256').update(`POST /v1/vaults?\n${bytes}`).digest(),
          requestId,
        ],
      );
      expect((await send(vault.admin, '/v1/vaults', body)).status).toBe(202);
      expect(await call(vault.admin, 'GET', `/v1/requests/${requestId}`)).toMatchObject({
        status: 200,
        body: { request_id: requestId, operation: 'create-vault', status: 'processing' },
      });
    });

    it('is taken over once, when it can no longer be signed', async () => {
      await abandon(50);
      const answers = await Promise.all([1, 2, 3].map(() => send(bot.client, target(), RAW_SIGN)));
      const signed = answers.find(({ status }) => status === 200);
      const later = await send(bot.client, target(), RAW_SIGN);
      expect(later).toMatchObject({ status: 200, body: signed!.body });
      const [row] = await query<{ count: string }>(
        vault.servers.ownerUrl,
        `SELECT count(*) FROM request_result JOIN idempotency_key USING (request_id) WHERE key = $1`,
        [key],
      );
      expect(row!.count).toBe('1');
    });

    it('is not taken over when its caller was told to wait', async () => {
      const requestId = await abandon(50);
      await query(
        vault.servers.roleUrls.gateway,
        `INSERT INTO signing_request
           (request_id, submission, operation, created_by, created_at, expires_at, evidence)
         VALUES ($1, $2, 'raw-sign', $3, now() - interval '50 s', now() - interval '20 s', $2)`,
        [requestId, Buffer.alloc(16), bot.id],
      );
      const answer = await send(bot.client, target(), RAW_SIGN);
      expect(answer).toMatchObject({ status: 202, body: { request_id: requestId } });
    });
  });

  it('is not used up by a request that was refused', async () => {
    const taken = { display_name: `taken ${key}` };
    await expectOk(vault.admin, 'POST', '/v1/vaults', taken);
    expect((await send(vault.admin, '/v1/vaults', taken)).status).toBe(409);
    const again = await send(vault.admin, '/v1/vaults', taken);
    expect(again.body).toMatchObject({ err_msg: expect.stringContaining('name is taken') });
    expect((await send(vault.admin, '/v1/vaults', { display_name: `free ${key}` })).status).toBe(
      200,
    );
  });

  it.each(['', 'x'.repeat(65), 'with space', 'ünïcode'])(
    'of the form %j is a malformed header: 400',
    async (form) => {
      const text = Buffer.from(form, 'utf8').toString('latin1');
      const sent = await send(vault.admin, '/v1/vaults', { display_name: `never ${key}` }, text);
      expect(sent).toMatchObject({ status: 400, body: { err_type: 'parse_error' } });
      expect((await send(bot.client, `${wallet.path}/raw-sign`, RAW_SIGN, text)).status).toBe(400);
    },
  );
});

describe('the figures of how the vault works', () => {
  const PATH = '/v1/system/operations';

  it('tell of parties, replicas, heads and what was signed', async () => {
    await rawSign(bot.client, wallet);
    const figures = await expectOk<SystemOperations>(vault.admin, 'GET', PATH);
    expect(systemOperations.parse(figures)).toEqual(figures);
    expect(figures.signing.succeeded).toBeGreaterThan(0);
    expect(figures.signing.latency?.p50_ms).toBeGreaterThan(0);
    expect(figures.ledger).toMatchObject({ is_stopped: false });
    for (const party of figures.parties) {
      expect(party).toMatchObject({ is_alive: true, replicas: [{ is_primary: true }] });
      expect(party.head?.seq).toBeGreaterThan(0);
    }
    expect(figures.pairs.reduce((sum, { answered }) => sum + answered, 0)).toBeGreaterThan(0);
    await expectRefusal('forbidden', bot.client, 'GET', PATH);
  });

  it('come as events, too', async () => {
    const authorization = `ApiKey ${vault.adminCredential.apiKey}`;
    const answer = await fetch(`${vault.baseUrl}${PATH}/stream`, { headers: { authorization } });
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('\n\n')) text += (await reader.read()).value ?? '';
    await reader.cancel();
    expect(text).toMatch(/^event: operations\ndata: \{"at":/);
  });
});
