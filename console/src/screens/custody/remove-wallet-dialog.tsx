/** Takes a frozen wallet out of its vault. */
import { Fact, Facts, Name } from '../../design/pieces.js';
import { VaultName } from '../../vault/names.js';
import { DeletionDialog } from '../../vault/deletion-dialog.js';
import { useChange } from '../../vault/vault-queries.js';
import type { ListedWallet } from './address-check.js';

interface RemoveWalletDialogProps {
  readonly wallet: ListedWallet;
  readonly onClose: () => void;
}

export function RemoveWalletDialog({ wallet, onClose }: RemoveWalletDialogProps) {
  const { address, vault_id: vaultId, display_name: name } = wallet;
  const remove = useChange((calls) =>
    calls.call('delete-wallets', {
      params: { vault_id: vaultId },
      query: { addresses: address },
    }),
  );
  return (
    <DeletionDialog
      act={`Remove wallet ${address.slice(0, 8)}…`}
      done={`The wallet ${address} is no longer in its vault.`}
      change={remove}
      onClose={onClose}
    >
      <Facts>
        <Fact name="Wallet">
          {name !== null && <Name text={name} />} <code>{address}</code>
        </Fact>
        <Fact name="Of vault">
          <VaultName id={vaultId} />
        </Fact>
        <Fact name="Hits">
          It leaves its security groups, and its key is kept but signs no more. What lies at the
          address stays there: move it away first.
        </Fact>
      </Facts>
    </DeletionDialog>
  );
}
