/** A wallet of the vault as a signer of `@solana/kit`, which whoever uses this module brings. */
import {
  address as parseAddress,
  getBase64EncodedWireTransaction,
  type MessagePartialSigner,
  type SignatureBytes,
  type SignatureDictionary,
  type TransactionPartialSigner,
} from '@solana/kit';
import type { CallError, CallResult } from '../answers/call-result.js';
import type { CountersignClient } from '../calls/countersign-client.js';

export interface VaultWallet {
  readonly client: Pick<CountersignClient, 'call'>;
  /** UUID of the wallet's vault. */
  readonly vaultId: string;
  /** Base58. */
  readonly address: string;
  /** As in the vault's catalogue, e.g. `solana-mainnet`. */
  readonly networkId: string;
  /** Of each signature, approvals included; the client's when absent. */
  readonly waitMs?: number;
}

/** The vault refused, or did not answer in time. */
export class SolanaSigningError extends Error {
  override readonly name = 'SolanaSigningError';
  readonly callError: CallError;

  constructor(callError: CallError) {
    super(`${callError.errType}: ${callError.errMsg}`);
    this.callError = callError;
  }
}

/** Transactions go by `sign`, which the vault decodes; messages by `raw-sign`, which a rule has to name. */
export type SolanaSigner = TransactionPartialSigner & MessagePartialSigner;

/**
 * Each transaction or message is a request of its own, all of them at once: where one is refused with SolanaSigningError, the
 * others may have been signed all the same. Throws kit's error at what is no address.
 */
export function createSolanaSigner(wallet: VaultWallet): SolanaSigner {
  const { client, vaultId, networkId, waitMs } = wallet;
  const address = parseAddress(wallet.address);
  const params = { vault_id: vaultId, address };
  const options = waitMs === undefined ? {} : { waitMs };

  const signEach = async <Item>(
    items: readonly Item[],
    { abortSignal }: { abortSignal?: AbortSignal } = {},
    ask: (item: Item) => Promise<CallResult<{ readonly signature: string }>>,
  ): Promise<SignatureDictionary[]> => {
    abortSignal?.throwIfAborted();
    return Promise.all(
      items.map(async (item) => {
        const result = await ask(item);
        if (!result.ok) throw new SolanaSigningError(result.error);
        return { [address]: bytesOf(result.value.signature) };
      }),
    );
  };

  return {
    address,
    signTransactions: (transactions, config) =>
      signEach(transactions, config, (transaction) => {
        const body = {
          network_id: networkId,
          transaction: getBase64EncodedWireTransaction(transaction),
        };
        return client.call('sign', { params, body, ...options });
      }),
    signMessages: (messages, config) =>
      signEach(messages, config, ({ content }) => {
        const body = { message: Buffer.from(content).toString('base64') };
        return client.call('raw-sign', { params, body, ...options });
      }),
  };
}

function bytesOf(base64: string): SignatureBytes {
  return Uint8Array.from(Buffer.from(base64, 'base64')) as unknown as SignatureBytes;
}
