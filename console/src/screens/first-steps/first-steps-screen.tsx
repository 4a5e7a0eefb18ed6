/** From genesis to a passkey, a vault, a wallet, a policy and a first signature: each step says whether it is done. */
import { Screen } from '../../design/pieces.js';
import { FirstStepsTabs } from './first-steps-tabs.js';
import { GenesisStep } from './genesis-step.js';
import { PasskeyStep } from './passkey-step.js';
import { PolicyStep } from './policy-step.js';
import { SignatureStep } from './signature-step.js';
import { useFirstThings } from './first-things.js';
import { VaultStep, WalletStep } from './vault-steps.js';

export function FirstStepsScreen() {
  const things = useFirstThings();
  return (
    <Screen
      title="First steps"
      lead="What a new vault needs until it signs. Come back here at any time: what is done stays done."
    >
      <FirstStepsTabs />
      <GenesisStep />
      <PasskeyStep />
      <VaultStep vault={things.vault} />
      <WalletStep vault={things.vault} wallet={things.wallet} />
      <PolicyStep things={things} />
      <SignatureStep things={things} />
    </Screen>
  );
}
