import { Button } from '../../design/button.js';
import { Quiet } from '../../design/pieces.js';
import { useSeat, useSession } from '../../session/session-store.js';
import { addPasskey } from '../../session/session.js';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { useChange } from '../../vault/vault-queries.js';
import { StepPanel } from './step-panel.js';

export function PasskeyStep() {
  const { person } = useSession();
  const { end } = useSeat();
  const passkeys = person.credentials.filter(({ type }) => type === 'passkey').length;
  const add = useChange(addPasskey);
  return (
    <StepPanel number={2} title="Your passkey" isDone={passkeys > 0}>
      <Quiet>
        You have {passkeys === 1 ? '1 passkey' : `${passkeys} passkeys`}. A second one, on another
        device or a security key, is your way back when the first is lost.
      </Quiet>
      {add.isSuccess ? (
        <p role="status">
          Added.{' '}
          <Button onPress={() => end('You have a new passkey.')}>Sign in again to use it</Button>
        </p>
      ) : (
        <ConfirmedChange
          label="Add a passkey"
          note="You make it first, and then sign for it with one that you have."
          change={add}
        />
      )}
    </StepPanel>
  );
}
