import { CopyableId } from '../../design/copyable-id.js';
import { Fact, Facts, Quiet } from '../../design/pieces.js';
import { useRead } from '../../vault/vault-queries.js';
import { StepPanel } from './step-panel.js';

export function GenesisStep() {
  const { data } = useRead('get-info', {});
  return (
    <StepPanel number={1} title="Genesis" isDone={data !== undefined && data.genesis_hash !== ''}>
      <Facts>
        <Fact name="Vault">
          {data !== undefined && <CopyableId text={data.vault_id} what="vault id" />}
        </Fact>
        <Fact name="Genesis">
          {data !== undefined && <CopyableId text={data.genesis_hash} what="genesis hash" />}
        </Fact>
      </Facts>
      <Quiet>
        Compare the genesis hash with the file genesis.json that whoever ran “countersign init”
        keeps: all that this vault says rests on it.
      </Quiet>
    </StepPanel>
  );
}
