/** A new wallet, with its key. It gets an address once the parties have made the key. */
import { deny } from '@countersign/core/denials.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import { NETWORK_FAMILIES, type NetworkFamily } from '@countersign/core/vocabulary.js';
import { mainnetsOf } from '../state/setting-dependents.js';
import type { Key, Labels, VaultState, Wallet } from '../state/state.js';
import { insertRow, replaceRow } from '../state/table.js';
import type { ApplyContext, Applied } from './ledger-operation.js';
import { findRow, newStamps } from './lookups.js';
import { newKey } from './new-key.js';

/** Default names of wallets. Recorded entries rest on these texts. */
const WALLET_NAMES: Readonly<Record<NetworkFamily, string>> = {
  solana: 'Solana wallet',
  sui: 'Sui wallet',
  aptos: 'Aptos wallet',
  stellar: 'Stellar wallet',
  near: 'NEAR wallet',
};

/** The fields of a request that makes a wallet, as the API names them. */
export interface NewWalletBody {
  readonly network_family: string;
  readonly display_name?: string | undefined;
  /** Absent: the mainnet. */
  readonly networks?: readonly string[] | undefined;
  readonly labels?: Labels | undefined;
}

/** 403 in a frozen vault; 422 for a family that is not supported. */
export function applyNewWallet(
  state: VaultState,
  vaultId: string | undefined,
  body: NewWalletBody,
  context: ApplyContext,
): Applied | Refusal {
  const vault = findRow(state.vaults, vaultId);
  if (isRefusal(vault)) return vault;
  const networkFamily = NETWORK_FAMILIES.find((family) => family === body.network_family);
  if (networkFamily === undefined) {
    return refuse('invalid_inputs', 'network_family: must be a supported family');
  }
  if (vault.frozen !== null) return deny('frozen', 'vault');
  const id = context.newId('wallet');
  const key = newKey(context, {
    displayName: body.display_name ?? WALLET_NAMES[networkFamily],
    type: 'ed25519',
    scheme: 'ed25519',
    custody: 'mpc',
    status: 'generating',
    walletId: id,
  });
  const row = newWallet({ id, vaultId: vault.id, networkFamily, key }, body, context);
  return {
    state: {
      ...state,
      vaults: replaceRow(state.vaults, { ...vault, walletCount: vault.walletCount + 1 }),
      wallets: insertRow(state.wallets, row),
      keys: insertRow(state.keys, key),
    },
    subject: {
      resourceType: 'wallet',
      resourceIds: [row.id],
      vaultIds: [vault.id],
      keyIds: [key.id],
    },
  };
}

interface Named extends Pick<Wallet, 'id' | 'vaultId' | 'networkFamily'> {
  readonly key: Key;
}

function newWallet(
  { id, vaultId, networkFamily, key }: Named,
  { networks = mainnetsOf(networkFamily), labels }: NewWalletBody,
  context: ApplyContext,
): Wallet {
  return {
    id,
    vaultId,
    networkFamily,
    networks,
    displayName: key.displayName,
    address: '',
    ...(labels !== undefined && { labels }),
    frozen: null,
    ...newStamps(context),
    keyId: key.id,
  };
}
