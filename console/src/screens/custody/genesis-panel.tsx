/** By the genesis that somebody trusts this page checks addresses for itself. */
import type { PinnedVault } from '@countersign/client/pinned-vault.js';
import { CopyableId } from '../../design/copyable-id.js';
import { Panel, Quiet } from '../../design/pieces.js';
import { GenesisForm } from '../../vault/genesis-form.js';

interface GenesisPanelProps {
  readonly pinned: PinnedVault | undefined;
  readonly onPin: (pinned: PinnedVault) => void;
}

export function GenesisPanel({ pinned, onPin }: GenesisPanelProps) {
  return (
    <Panel title="Check addresses here">
      {pinned === undefined ? (
        <Quiet>
          So far only the gateway vouches for these addresses. Ask an operator for the vault’s{' '}
          <code>genesis.json</code>, which <code>countersign genesis</code> prints on the machine of
          a party, and paste it: then this page checks every address against the signatures of the
          three parties.
        </Quiet>
      ) : (
        <>
          <Quiet>Addresses are checked against the parties of this genesis:</Quiet>
          <CopyableId text={pinned.genesisHash} what="genesis hash" />
        </>
      )}
      <GenesisForm onPin={onPin} />
    </Panel>
  );
}
