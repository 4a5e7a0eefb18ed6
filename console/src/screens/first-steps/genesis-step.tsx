import { Fact, Facts, Quiet } from '../../design/pieces.js';
import { useRead } from '../../vault/vault-queries.js';
import { StepPanel } from './step-panel.js';

export function GenesisStep() {
  const { data } = useRead('get-info', {});
  return (
    <StepPanel number={1} title="Genesis" isDone={data !== undefined && data.genesis_hash !== ''}>
      <Facts>
        <Fact name="Vault">
          <code>{data?.vault_id}</code>
        </Fact>
        <Fact name="Genesis">
          <code>{data?.genesis_hash}</code>
        </Fact>
      </Facts>
      <Quiet>
        Compare the genesis hash with the file genesis.json that whoever ran “countersign init”
        keeps: all that this vault says rests on it.
      </Quiet>
    </StepPanel>
  );
}
