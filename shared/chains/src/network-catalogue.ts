/**
 * The published catalogue of blockchain networks and assets: `supported_blockchain_networks` of
 * `GET /v1/system-info`. Field names are those of the API, because this data is the answer.
 *
 * Every family here derives its address from an Ed25519 public key (`addresses.ts`). Token contracts are
 * those their issuer publishes (https://developers.circle.com/stablecoins/usdc-contract-addresses); a
 * contract nobody could confirm is left out, since a wrong one would let a rule name a worthless token.
 */
import type { NetworkFamily } from '@countersign/core/vocabulary.js';

export type AddressFormat =
  /** base58 of the 32-byte key, 32 to 44 characters. */
  | 'base58'
  /** `0x` and 64 lower-case hex characters. */
  | '0x_hex'
  /** 64 lower-case hex characters (a NEAR implicit account). */
  | 'hex'
  /** Stellar's checked base32, 56 characters, the first one `G`. */
  | 'strkey';

export interface NetworkAsset {
  /** Unique in the whole catalogue: `<network id>/<symbol in lower case>`. */
  readonly id: string;
  readonly symbol: string;
  /** Digits after the decimal point of one whole coin: 9 means 10^9 smallest units. */
  readonly decimals: number;
  readonly is_native: boolean;
  /**
   * Which token this is, as its own chain writes it: Solana mint, Sui coin type, Aptos fungible-asset
   * metadata address, Stellar `CODE:ISSUER`, NEAR contract account. Native coins have none.
   */
  readonly contract?: string;
}

export interface BlockchainNetwork {
  readonly id: string;
  readonly display_name: string;
  readonly is_testnet: boolean;
  readonly address_format: AddressFormat;
  readonly assets: readonly NetworkAsset[];
}

export interface BlockchainNetworkFamily<Network extends BlockchainNetwork = BlockchainNetwork> {
  readonly family: NetworkFamily;
  readonly display_name: string;
  readonly key_type: 'ed25519';
  readonly networks: readonly Network[];
}

/** A network as the API shows it: `enabled` follows from the setting `testnets_enabled`. */
export interface PublishedNetwork extends BlockchainNetwork {
  readonly enabled: boolean;
}

/** A network together with the family it belongs to. */
export interface NetworkOfFamily extends BlockchainNetwork {
  readonly family: NetworkFamily;
}

const USDC_DECIMALS = 6;
/** Every Stellar asset counts in 10^-7 units; the issuer cannot choose. */
const STELLAR_DECIMALS = 7;

const CATALOGUE: readonly BlockchainNetworkFamily[] = [
  {
    family: 'solana',
    display_name: 'Solana',
    key_type: 'ed25519',
    networks: [
      {
        id: 'solana-mainnet',
        display_name: 'Solana',
        is_testnet: false,
        address_format: 'base58',
        assets: [
          { id: 'solana-mainnet/sol', symbol: 'SOL', decimals: 9, is_native: true },
          {
            id: 'solana-mainnet/usdc',
            symbol: 'USDC',
            decimals: USDC_DECIMALS,
            is_native: false,
            contract: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
          },
        ],
      },
      {
        id: 'solana-devnet',
        display_name: 'Solana Devnet',
        is_testnet: true,
        address_format: 'base58',
        assets: [
          { id: 'solana-devnet/sol', symbol: 'SOL', decimals: 9, is_native: true },
          {
            id: 'solana-devnet/usdc',
            symbol: 'USDC',
            decimals: USDC_DECIMALS,
            is_native: false,
            contract: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
          },
        ],
      },
      {
        id: 'solana-testnet',
        display_name: 'Solana Testnet',
        is_testnet: true,
        address_format: 'base58',
        assets: [{ id: 'solana-testnet/sol', symbol: 'SOL', decimals: 9, is_native: true }],
      },
    ],
  },
  {
    family: 'sui',
    display_name: 'Sui',
    key_type: 'ed25519',
    networks: [
      {
        id: 'sui-mainnet',
        display_name: 'Sui',
        is_testnet: false,
        address_format: '0x_hex',
        assets: [
          { id: 'sui-mainnet/sui', symbol: 'SUI', decimals: 9, is_native: true },
          {
            id: 'sui-mainnet/usdc',
            symbol: 'USDC',
            decimals: USDC_DECIMALS,
            is_native: false,
            contract:
              '0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC',
          },
        ],
      },
      {
        id: 'sui-testnet',
        display_name: 'Sui Testnet',
        is_testnet: true,
        address_format: '0x_hex',
        assets: [
          { id: 'sui-testnet/sui', symbol: 'SUI', decimals: 9, is_native: true },
          {
            id: 'sui-testnet/usdc',
            symbol: 'USDC',
            decimals: USDC_DECIMALS,
            is_native: false,
            contract:
              '0xa1ec7fc00a6f40db9693ad1415d0c193ad3906494428cf252621037bd7117e29::usdc::USDC',
          },
        ],
      },
      {
        id: 'sui-devnet',
        display_name: 'Sui Devnet',
        is_testnet: true,
        address_format: '0x_hex',
        assets: [{ id: 'sui-devnet/sui', symbol: 'SUI', decimals: 9, is_native: true }],
      },
    ],
  },
  {
    family: 'aptos',
    display_name: 'Aptos',
    key_type: 'ed25519',
    networks: [
      {
        id: 'aptos-mainnet',
        display_name: 'Aptos',
        is_testnet: false,
        address_format: '0x_hex',
        assets: [
          { id: 'aptos-mainnet/apt', symbol: 'APT', decimals: 8, is_native: true },
          {
            id: 'aptos-mainnet/usdc',
            symbol: 'USDC',
            decimals: USDC_DECIMALS,
            is_native: false,
            contract: '0xbae207659db88bea0cbead6da0ed00aac12edcdda169e591cd41c94180b46f3b',
          },
        ],
      },
      {
        id: 'aptos-testnet',
        display_name: 'Aptos Testnet',
        is_testnet: true,
        address_format: '0x_hex',
        assets: [
          { id: 'aptos-testnet/apt', symbol: 'APT', decimals: 8, is_native: true },
          {
            id: 'aptos-testnet/usdc',
            symbol: 'USDC',
            decimals: USDC_DECIMALS,
            is_native: false,
            contract: '0x69091fbab5f7d635ee7ac5098cf0c1efbe31d68fec0f2cd565e8d168daf52832',
          },
        ],
      },
    ],
  },
  {
    family: 'stellar',
    display_name: 'Stellar',
    key_type: 'ed25519',
    networks: [
      {
        id: 'stellar-mainnet',
        display_name: 'Stellar',
        is_testnet: false,
        address_format: 'strkey',
        assets: [
          {
            id: 'stellar-mainnet/xlm',
            symbol: 'XLM',
            decimals: STELLAR_DECIMALS,
            is_native: true,
          },
          {
            id: 'stellar-mainnet/usdc',
            symbol: 'USDC',
            decimals: STELLAR_DECIMALS,
            is_native: false,
            contract: 'USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN',
          },
        ],
      },
      {
        id: 'stellar-testnet',
        display_name: 'Stellar Testnet',
        is_testnet: true,
        address_format: 'strkey',
        assets: [
          {
            id: 'stellar-testnet/xlm',
            symbol: 'XLM',
            decimals: STELLAR_DECIMALS,
            is_native: true,
          },
          {
            id: 'stellar-testnet/usdc',
            symbol: 'USDC',
            decimals: STELLAR_DECIMALS,
            is_native: false,
            contract: 'USDC:GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5',
          },
        ],
      },
    ],
  },
  {
    family: 'near',
    display_name: 'NEAR',
    key_type: 'ed25519',
    networks: [
      {
        id: 'near-mainnet',
        display_name: 'NEAR',
        is_testnet: false,
        address_format: 'hex',
        assets: [
          { id: 'near-mainnet/near', symbol: 'NEAR', decimals: 24, is_native: true },
          {
            id: 'near-mainnet/usdc',
            symbol: 'USDC',
            decimals: USDC_DECIMALS,
            is_native: false,
            contract: '17208628f84f5d6ad33f0da3bbbeb27ffcb398eac501a31bd6ad2011e36133a1',
          },
        ],
      },
      {
        id: 'near-testnet',
        display_name: 'NEAR Testnet',
        is_testnet: true,
        address_format: 'hex',
        assets: [
          { id: 'near-testnet/near', symbol: 'NEAR', decimals: 24, is_native: true },
          {
            id: 'near-testnet/usdc',
            symbol: 'USDC',
            decimals: USDC_DECIMALS,
            is_native: false,
            contract: '3e2210e1184b45b64c8a434c0a7e7b23cc04ea7eb7a6c3c32520d03d4afcb8af',
          },
        ],
      },
    ],
  },
];

const NETWORK_BY_ID: ReadonlyMap<string, NetworkOfFamily> = new Map(
  CATALOGUE.flatMap(({ family, networks }) =>
    networks.map((network) => [network.id, { ...network, family }] as const),
  ),
);

/** Testnets stay listed while they are switched off, so that a client can show what it may enable. */
function isEnabled(network: BlockchainNetwork, testnetsEnabled: boolean): boolean {
  return testnetsEnabled || !network.is_testnet;
}

/**
 * The whole catalogue in the shape of `SystemInfo.supported_blockchain_networks`.
 *
 * @param testnetsEnabled the system setting `testnets_enabled`
 * @returns fresh objects: changing them does not change the catalogue
 */
export function supportedBlockchainNetworks(
  testnetsEnabled: boolean,
): BlockchainNetworkFamily<PublishedNetwork>[] {
  return CATALOGUE.map((family) => ({
    ...family,
    networks: family.networks.map((network) => ({
      ...network,
      enabled: isEnabled(network, testnetsEnabled),
      assets: network.assets.map((asset) => ({ ...asset })),
    })),
  }));
}

/** The network with this id and its family; undefined when the catalogue has no such network. */
export function findNetwork(networkId: string): NetworkOfFamily | undefined {
  return NETWORK_BY_ID.get(networkId);
}

/** Ids of the family's networks that may be used now, in catalogue order. */
export function enabledNetworkIds(family: NetworkFamily, testnetsEnabled: boolean): string[] {
  const networks = CATALOGUE.find((entry) => entry.family === family)?.networks ?? [];
  return networks
    .filter((network) => isEnabled(network, testnetsEnabled))
    .map((network) => network.id);
}
