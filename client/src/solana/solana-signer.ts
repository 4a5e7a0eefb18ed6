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
import { signTogether } from '../together/sign-together.js';

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

interface Signed {
  readonly signature: string;
}

/** Transactions go by `sign`, which the vault decodes; messages by `raw-sign`, which a rule has to name. */
export type SolanaSigner = TransactionPartialSigner & MessagePartialSigner;

/**
 * What is asked for in one turn of the event loop leaves as one request, and each transaction or message in it is decided
 * for itself: where one is refused with SolanaSigningError, the others may have been signed all the same. Throws kit's
 * error at what is no address.
 */
export function createSolanaSigner(wallet: VaultWallet): SolanaSigner {
  const address = parseAddress(wallet.address);
  const { transactionSigned, messageSigned } = walletSignatures(wallet, address);

  const signEach = async <Item>(
    items: readonly Item[],
    { abortSignal }: { abortSignal?: AbortSignal } = {},
    ask: (item: Item) => Promise<CallResult<Signed>>,
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
      signEach(transactions, config, (transaction) =>
        transactionSigned(getBase64EncodedWireTransaction(transaction)),
      ),
    signMessages: (messages, config) =>
      signEach(messages, config, ({ content }) =>
        messageSigned(Buffer.from(content).toString('base64')),
      ),
  };
}

function walletSignatures({ client, vaultId, networkId, waitMs }: VaultWallet, address: string) {
  const params = { vault_id: vaultId, address };
  const transactionSigned = signTogether<string, Signed>(
    {
      one: (transaction, options) =>
        client.call('sign', { params, body: { network_id: networkId, transaction }, ...options }),
      many: (transactions, options) =>
        client.call('sign-batch', {
          params,
          body: { network_id: networkId, transactions },
          ...options,
        }),
    },
    waitMs,
  );
  const messageSigned = signTogether<string, Signed>(
    {
      one: (message, options) => client.call('raw-sign', { params, body: { message }, ...options }),
      many: (messages, options) =>
        client.call('raw-sign-batch', { params, body: { messages }, ...options }),
    },
    waitMs,
  );
  return { transactionSigned, messageSigned };
}

function bytesOf(base64: string): SignatureBytes {
  return Uint8Array.from(Buffer.from(base64, 'base64')) as unknown as SignatureBytes;
}
