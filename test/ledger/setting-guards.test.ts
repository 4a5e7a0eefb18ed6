/** A setting is never off while something new rests on it: the fold decides it, whatever races with what. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { supportedBlockchainNetworks } from '@countersign/chains/network-catalogue.js';
import {
  refuseNewDependents,
  refuseSwitchedOff,
} from '@countersign/vault/policy/setting-guards.js';
import { isTestnetName } from '@countersign/vault/state/setting-dependents.js';
import type { SigningPolicy, VaultState } from '@countersign/vault/state/state.js';
import { replaceRow } from '@countersign/vault/state/table.js';
import { createLedgerBuilder, keyStory, type LedgerBuilder } from '../support/ledger-builder.ts';

let ledger: LedgerBuilder;
let vaultId: string;
let groupId: string;

beforeEach(() => {
  ledger = createLedgerBuilder();
  vaultId = post('/v1/vaults', { display_name: 'Desk' });
  groupId = post('/v1/security-groups', { display_name: 'Group' });
});

const post = (path: string, body: object) => ledger.must(ledger.admin, 'POST', path, body);
const SETTINGS = '/v1/system-settings';

function set(fields: object) {
  const body = { version: ledger.state.settings.version, ...fields };
  return ledger.sendUnchecked(ledger.admin, 'PATCH', SETTINGS, body).refusal;
}

type Write = readonly [
  what: string,
  write: () => readonly [method: string, path: string, body: object],
];

const wallet = (networks?: string[]) => ({
  network_family: 'solana',
  ...(networks && { networks }),
});
const DEPENDENTS: readonly Write[] = [
  ['a wallet', () => ['POST', `/v1/vaults/${vaultId}/wallets`, wallet(['solana-devnet'])]],
  [
    'wallets, many at once',
    () => [
      'POST',
      `/v1/vaults/${vaultId}/wallets/bulk`,
      { wallets: [wallet(), wallet(['solana-mainnet', 'solana-testnet'])] },
    ],
  ],
  [
    'a rule, also one that is switched off',
    () => [
      'POST',
      '/v1/signing-policies',
      {
        display_name: 'Policy',
        security_group_id: groupId,
        rules: [
          {
            display_name: 'Rule',
            enabled: false,
            when: { networks: ['solana-devnet'], initiators: { user_ids: [ledger.admin.id] } },
            then: 'allow',
          },
        ],
      },
    ],
  ],
  [
    'a network that is not in the catalogue',
    () => ['POST', `/v1/vaults/${vaultId}/wallets`, wallet(['solana-next'])],
  ],
];

describe.each(DEPENDENTS)('testnets and %s', (_what, write) => {
  it('that comes while they are off: refused in the fold', () => {
    const before = ledger.state;
    expect(ledger.sendUnchecked(ledger.admin, ...write()).refusal).toMatchObject({
      refused: 'invalid_inputs',
      message: expect.stringMatching(/testnets are disabled/) as unknown,
    });
    expect(ledger.state.wallets).toBe(before.wallets);
    expect(ledger.state.signingPolicies).toBe(before.signingPolicies);
  });

  it('that is there: they stay on, and what uses them is named', () => {
    expect(set({ testnets_enabled: true })).toBeUndefined();
    const { refusal, subject } = ledger.sendUnchecked(ledger.admin, ...write());
    expect(refusal).toBeUndefined();
    const id = subject!.resourceIds.at(-1)!;
    expect(set({ testnets_enabled: false })).toMatchObject({
      refused: 'resource_conflict',
      message: `testnets are in use by ${id}`,
    });
    expect(ledger.state.settings.testnetsEnabled).toBe(true);
  });
});

describe('testnets', () => {
  it('are in use by many: ten are named', () => {
    set({ testnets_enabled: true });
    const wallets = Array.from({ length: 12 }, () => wallet(['solana-devnet']));
    ledger.sendUnchecked(ledger.admin, 'POST', `/v1/vaults/${vaultId}/wallets/bulk`, { wallets });
    const { message = '' } = set({ testnets_enabled: false }) ?? {};
    expect(message.split(', ')).toHaveLength(10);
  });

  it('are told by the name of a network, as the catalogue names them', () => {
    const networks = supportedBlockchainNetworks(true).flatMap((family) => family.networks);
    expect(networks.map(({ id }) => [id, isTestnetName(id)])).toEqual(
      networks.map(({ id, is_testnet }) => [id, is_testnet]),
    );
  });

  it('can be taken from a wallet, which then stops nobody from switching them off', () => {
    set({ testnets_enabled: true });
    const body = wallet(['solana-mainnet', 'solana-devnet']);
    const walletId = post(`/v1/vaults/${vaultId}/wallets`, body);
    const { keyId } = ledger.state.wallets.rows.get(walletId)!;
    for (const party of [1, 2, 3] as const) ledger.attest(party, keyId, keyStory(keyId));
    const { address } = ledger.state.wallets.rows.get(walletId)!;
    const put = (networks: string[]) =>
      ledger.send(ledger.admin, 'PUT', `/v1/vaults/${vaultId}/wallets/${address}`, { networks });
    expect(put(['solana-mainnet']).refusal).toBeUndefined();
    expect(set({ testnets_enabled: false })).toBeUndefined();
    expect(put(['solana-devnet']).refusal).toMatchObject({ refused: 'invalid_inputs' });
    expect(put(['sui-mainnet']).refusal?.message).toMatch(/none of the family/);
    expect(ledger.state.wallets.rows.get(walletId)?.networks).toEqual(['solana-mainnet']);
  });

  it('are of no wallet that asked for none, also while they are on', () => {
    set({ testnets_enabled: true });
    const walletId = post(`/v1/vaults/${vaultId}/wallets`, wallet());
    expect(ledger.state.wallets.rows.get(walletId)?.networks).toEqual(['solana-mainnet']);
    expect(set({ testnets_enabled: false })).toBeUndefined();
  });
});

describe('USD value conditions', () => {
  function withUsdRule(state: VaultState, policyId: string): VaultState {
    const policy = state.signingPolicies.rows.get(policyId)!;
    const [rule] = policy.rules;
    const when = { ...rule!.when, usdValue: { max: '100' } };
    const row = { ...policy, rules: [{ ...rule!, when }] } as SigningPolicy;
    return { ...state, signingPolicies: replaceRow(state.signingPolicies, row) };
  }

  it('stay on while a rule states one, and none is stated while they are off', () => {
    const policyId = post('/v1/signing-policies', {
      display_name: 'Policy',
      security_group_id: groupId,
      rules: [
        {
          display_name: 'Rule',
          when: { initiators: { user_ids: [ledger.admin.id] } },
          then: 'allow',
        },
      ],
    });
    const off = ledger.state;
    expect(refuseNewDependents(off, withUsdRule(off, policyId))).toMatchObject({
      refused: 'invalid_inputs',
      message: expect.stringMatching(/USD value conditions are disabled/) as unknown,
    });
    expect(set({ usd_value_conditions_enabled: true })).toBeUndefined();
    const on = withUsdRule(ledger.state, policyId);
    expect(refuseNewDependents(ledger.state, on)).toBeUndefined();
    expect(refuseSwitchedOff(on, off.settings)).toMatchObject({
      refused: 'resource_conflict',
      message: `USD value conditions are in use by ${policyId}`,
    });
  });
});

it('deleting a user whom a policy names is refused, and names the policies', () => {
  const bot = ledger.addMachine('Bot', ['freeze']);
  const administrative = [...ledger.state.adminPolicies.rows.values()].find(({ subjects }) =>
    subjects.userIds.includes(bot.id),
  );
  const signing = post('/v1/signing-policies', {
    display_name: 'Policy',
    security_group_id: groupId,
    rules: [{ display_name: 'Rule', when: { initiators: { user_ids: [bot.id] } }, then: 'allow' }],
  });
  const remove = () => ledger.sendUnchecked(ledger.admin, 'DELETE', `/v1/users?user_ids=${bot.id}`);
  expect(remove().refusal).toMatchObject({
    refused: 'resource_conflict',
    message: `the user is named by policies: ${administrative!.id}, ${signing}`,
  });
  ledger.must(ledger.admin, 'DELETE', `/v1/signing-policies/${signing}`);
  ledger.must(ledger.admin, 'DELETE', `/v1/admin-policies/${administrative!.id}`);
  expect(remove().refusal).toBeUndefined();
});
