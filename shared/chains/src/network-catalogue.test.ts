import { describe, expect, test } from '@jest/globals';

import { NETWORK_FAMILIES, type NetworkFamily } from '@countersign/core/vocabulary.js';
import { isAddressOf } from '../../../test/support/address-forms.js';
import {
  enabledNetworkIds,
  findNetwork,
  supportedBlockchainNetworks,
} from './network-catalogue.js';

const families = supportedBlockchainNetworks(false);
const networks = families.flatMap((family) =>
  family.networks.map((network) => ({ ...network, family: family.family })),
);
const assets = networks.flatMap((network) =>
  network.assets.map((asset) => ({ ...asset, network: network.id, family: network.family })),
);

/** The account or issuer inside a contract reference; undefined when the reference has another form. */
function accountOfContract(family: NetworkFamily, contract: string): string | undefined {
  switch (family) {
    case 'sui':
      return /^(0x[0-9a-f]{64})::[a-z]+::[A-Z]+$/.exec(contract)?.[1];
    case 'stellar':
      return /^[A-Z0-9]{1,12}:(G[A-Z2-7]{55})$/.exec(contract)?.[1];
    default:
      return contract;
  }
}

describe('the published catalogue', () => {
  test('lists every family once, with its Ed25519 key type', () => {
    expect(families.map(({ family }) => family)).toEqual([...NETWORK_FAMILIES]);
    expect(families.map(({ key_type }) => key_type)).toEqual(NETWORK_FAMILIES.map(() => 'ed25519'));
  });

  test('has exactly the documented fields', () => {
    for (const family of families) {
      expect(Object.keys(family).toSorted()).toEqual(
        ['display_name', 'family', 'key_type', 'networks'].toSorted(),
      );
    }
    for (const network of families.flatMap((family) => family.networks)) {
      expect(Object.keys(network).toSorted()).toEqual(
        ['address_format', 'assets', 'display_name', 'enabled', 'id', 'is_testnet'].toSorted(),
      );
    }
    for (const asset of families.flatMap((f) => f.networks).flatMap((n) => n.assets)) {
      const expected = ['decimals', 'id', 'is_native', 'symbol'];
      expect(Object.keys(asset).toSorted()).toEqual(
        asset.is_native ? expected : ['contract', ...expected],
      );
    }
  });

  test('survives JSON unchanged', () => {
    expect(JSON.parse(JSON.stringify(families))).toEqual(families);
  });

  test('gives fresh objects, so that nobody can change the catalogue', () => {
    const before = structuredClone(families);
    const network = supportedBlockchainNetworks(false)[0]?.networks[0];
    Object.assign(network ?? {}, { is_testnet: true });
    Object.assign(network?.assets[0] ?? {}, { decimals: 0 });
    expect(supportedBlockchainNetworks(false)).toEqual(before);
  });
});

describe('networks', () => {
  test('have unique ids that begin with their family', () => {
    expect(new Set(networks.map(({ id }) => id)).size).toBe(networks.length);
    for (const { id, family } of networks) {
      expect(id).toMatch(new RegExp(`^${family}-(mainnet|testnet|devnet)$`));
    }
  });

  test('are testnets exactly when their id says so', () => {
    for (const { id, is_testnet } of networks) {
      expect(is_testnet).toBe(!id.endsWith('-mainnet'));
    }
  });

  test('have one mainnet per family and display names of their own', () => {
    expect(networks.filter(({ is_testnet }) => !is_testnet)).toHaveLength(NETWORK_FAMILIES.length);
    expect(new Set(networks.map(({ display_name }) => display_name)).size).toBe(networks.length);
  });

  test('share one address format within a family', () => {
    for (const family of families) {
      expect(new Set(family.networks.map((network) => network.address_format)).size).toBe(1);
    }
  });
});

describe('assets', () => {
  test('have unique ids made of network and symbol', () => {
    expect(new Set(assets.map(({ id }) => id)).size).toBe(assets.length);
    for (const { id, network, symbol } of assets) {
      expect(id).toBe(`${network}/${symbol.toLowerCase()}`);
    }
  });

  test('include exactly one native coin per network', () => {
    for (const network of networks) {
      expect(network.assets.filter(({ is_native }) => is_native)).toHaveLength(1);
    }
  });

  test('count in whole digits that the chain can hold', () => {
    for (const { decimals } of assets) {
      expect(Number.isInteger(decimals) && decimals > 0 && decimals <= 24).toBe(true);
    }
    expect(
      Object.fromEntries(
        assets
          .filter(({ is_native, network }) => is_native && network.endsWith('-mainnet'))
          .map(({ symbol, decimals }) => [symbol, decimals]),
      ),
    ).toEqual({ SOL: 9, SUI: 9, APT: 8, XLM: 7, NEAR: 24 });
  });

  test('name contracts that are well-formed accounts of their chain, checksums included', () => {
    for (const { id, family, contract } of assets) {
      if (contract !== undefined) {
        const account = accountOfContract(family, contract);
        expect([id, isAddressOf(family, account ?? '')]).toEqual([id, true]);
      }
    }
  });

  test('never share a contract, not even between a mainnet and its testnets', () => {
    const contracts = assets.flatMap(({ contract }) => contract ?? []);
    expect(new Set(contracts).size).toBe(contracts.length);
  });
});

describe('the testnet setting', () => {
  test('disables testnets but keeps them listed', () => {
    expect(networks.filter(({ enabled }) => enabled).map(({ id }) => id)).toEqual(
      networks.filter(({ is_testnet }) => !is_testnet).map(({ id }) => id),
    );
  });

  test('enables everything when on', () => {
    const all = supportedBlockchainNetworks(true).flatMap((family) => family.networks);
    expect(all.map(({ id }) => id)).toEqual(networks.map(({ id }) => id));
    expect(all.every(({ enabled }) => enabled)).toBe(true);
  });

  test('decides the networks of a wallet', () => {
    expect(enabledNetworkIds('solana', false)).toEqual(['solana-mainnet']);
    expect(enabledNetworkIds('solana', true)).toEqual([
      'solana-mainnet',
      'solana-devnet',
      'solana-testnet',
    ]);
    expect(enabledNetworkIds('stellar', true)).toEqual(['stellar-mainnet', 'stellar-testnet']);
  });
});

describe('lookups', () => {
  test('find a network with its family', () => {
    for (const { id, family } of networks) {
      expect(findNetwork(id)).toMatchObject({ id, family });
    }
  });

  test('find nothing for an unknown id, or for a name that every object has', () => {
    for (const id of ['', 'solana', 'SOLANA-MAINNET', 'toString', '__proto__', 'constructor']) {
      expect(findNetwork(id)).toBeUndefined();
    }
  });
});
