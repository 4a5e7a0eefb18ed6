/** From an empty vault to a first signature. */
import { Panel, Quiet, Screen } from '../../design/pieces.js';

export function FirstStepsScreen() {
  return (
    <Screen title="First steps" lead="From genesis to a first signature.">
      <Panel title="Where you are">
        <Quiet>You have signed in, so the vault has its genesis and you have a passkey.</Quiet>
      </Panel>
    </Screen>
  );
}
