import { expect, it } from '@jest/globals';
import { CATALOGUES } from '../catalogues/todays-catalogues.js';
import { EMPTY_STATE, type SigningPolicy, type VaultState, type Wallet } from '../state/state.js';
import { insertRow } from '../state/table.js';
import { testnetReferences } from './testnet-references.js';

const STAMPS = { createdAt: 0, createdBy: 'x', lastUpdatedAt: 0, lastUpdatedBy: 'x' };

function withWallet(state: VaultState, id: string, networks: Wallet['networks']): VaultState {
  const row: Wallet = {
    ...STAMPS,
    id,
    vaultId: 'v',
    networkFamily: 'solana',
    networks,
    displayName: id,
    keyId: id,
    address: '',
    frozen: null,
  };
  return { ...state, wallets: insertRow(state.wallets, row) };
}

function withPolicy(state: VaultState, id: string, networks?: readonly string[]): VaultState {
  const rule = {
    id: 'r',
    displayName: 'r',
    enabled: true,
    when: { networks },
    then: 'allow',
  } as const;
  const row: SigningPolicy = {
    ...STAMPS,
    id,
    displayName: id,
    securityGroupId: 'g',
    version: 1,
    rules: [rule],
  };
  return { ...state, signingPolicies: insertRow(state.signingPolicies, row) };
}

it('finds the wallets and policies that name a testnet, and no others', () => {
  let state = withWallet(EMPTY_STATE, 'open', null);
  state = withWallet(state, 'main', ['solana-mainnet']);
  state = withWallet(state, 'dev', ['solana-mainnet', 'solana-devnet']);
  state = withWallet(state, 'unknown', ['solana-next']);
  state = withPolicy(state, 'any');
  state = withPolicy(state, 'main only', ['sui-mainnet']);
  state = withPolicy(state, 'test', ['sui-mainnet', 'sui-testnet']);
  expect(testnetReferences(state, CATALOGUES)).toEqual(['dev', 'test']);
});
