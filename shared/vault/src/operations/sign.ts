import { signOperation } from '@countersign/api/operations/signing.js';
import { asBuffer, toBase64 } from '@countersign/core/bytes.js';
import {
  attachSolanaSignature,
  decodeSolanaTransaction,
} from '@countersign/chains/solana-transaction.js';
import { solanaMovements, type TransactionFacts } from '@countersign/chains/solana-movements.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import type { VaultState, Wallet } from '../state/state.js';
import { CATALOGUES } from '../catalogues/todays-catalogues.js';
import { findWalletTarget } from './signing-targets.js';
import { signingOperation } from './signing-operation.js';

/**
 * Signs a transaction of a wallet after decoding it. 422 if the vault cannot read it: what it does not understand, it
 * does not sign.
 */
export const sign = signingOperation({
  ...signOperation,
  name: 'sign',
  findTarget: findWalletTarget,
  prepare(state, { wallet }, { body }) {
    const { network_id: networkId, transaction } = body;
    const fault = findNetworkFault(state, wallet, networkId);
    if (fault !== undefined) return fault;
    if (wallet?.networkFamily !== 'solana') {
      return refuse(
        'invalid_inputs',
        'transaction: cannot be decoded for this network yet; use raw-sign',
      );
    }
    const decoded = readTransaction(transaction);
    if (isRefusal(decoded)) return decoded;
    if (!decoded.requiredSigners.includes(wallet.address)) {
      return refuse('invalid_inputs', 'transaction: the wallet is not one of its signers');
    }
    return {
      scheme: 'ed25519',
      networkId,
      transaction: solanaMovements(networkId, decoded.instructions),
      messageAt: () => decoded.message,
    };
  },
  recompose(_target, { body }) {
    const decoded = readTransaction(body.transaction);
    return isRefusal(decoded) ? decoded : { scheme: 'ed25519', message: decoded.message };
  },
  answer({ wallet }, { body }, { signature }, receipt) {
    const signed = attachSolanaSignature(body.transaction, wallet?.address ?? '', signature);
    return {
      signature: asBuffer(signature).toString('base64'),
      signed_transaction: toBase64(signed),
      receipt,
    };
  },
});

/** The movements of a transaction for this network, or 422 if it cannot be decoded. */
export function readMovements(
  networkId: string,
  transaction: Uint8Array,
): TransactionFacts | Refusal {
  const decoded = readTransaction(transaction);
  return isRefusal(decoded) ? decoded : solanaMovements(networkId, decoded.instructions);
}

function readTransaction(transaction: Parameters<typeof decodeSolanaTransaction>[0]) {
  const decoded = decodeSolanaTransaction(transaction);
  return decoded.outcome === 'undecodable'
    ? refuse('invalid_inputs', `transaction: undecodable: ${decoded.reason}`)
    : decoded;
}

/** 422 unless the wallet can sign for this network now. */
export function findNetworkFault(
  state: VaultState,
  wallet: Wallet | undefined,
  networkId: string,
): Refusal | undefined {
  if (
    wallet === undefined ||
    CATALOGUES.findNetwork(networkId) === undefined ||
    !wallet.networks.includes(networkId)
  ) {
    return refuse('invalid_inputs', 'network_id: not a network of this wallet');
  }
  const enabled = CATALOGUES.enabledNetworkIds(
    wallet.networkFamily,
    state.settings.testnetsEnabled,
  );
  return enabled.includes(networkId)
    ? undefined
    : refuse('invalid_inputs', 'network_id: the network is disabled');
}
