/** A freeze names a wallet by its id; whoever lifts it names the wallet by vault and address. */
import { useQuery } from '@tanstack/react-query';
import { valueOf } from '@countersign/client/call-result.js';
import type { OperationCalls } from '@countersign/client/operation-calls.js';
import { useSession } from '../../session/session-store.js';
import type { FreezeInForce } from './frozen-thing.js';
import type { FreezeTarget } from './freeze-scopes.js';

interface WalletPlace {
  readonly isKnown: boolean;
  readonly target: Omit<FreezeTarget, 'scope'>;
}

export function useWalletPlace({ scope, id }: FreezeInForce): WalletPlace {
  const { calls } = useSession();
  const isWallet = scope === 'wallet';
  const { data } = useQuery({
    queryKey: ['wallet-place', id],
    queryFn: () => findWallet(calls, id),
    enabled: isWallet,
  });
  if (!isWallet) return { isKnown: true, target: { id } };
  return data === undefined || data === null
    ? { isKnown: false, target: { id } }
    : { isKnown: true, target: data };
}

/** Null where no vault has it that the caller sees. */
async function findWallet(
  calls: OperationCalls,
  walletId: string,
): Promise<WalletPlace['target'] | null> {
  const query = { limit: '100' };
  for await (const vaults of calls.pages('list-vaults', { query })) {
    for (const { id: vaultId } of valueOf(vaults).results) {
      const inVault = { params: { vault_id: vaultId }, query };
      for await (const wallets of calls.pages('list-wallets', inVault)) {
        const found = valueOf(wallets).results.find(({ id }) => id === walletId);
        if (found !== undefined) return { id: found.address, vaultId };
      }
    }
  }
  return null;
}
