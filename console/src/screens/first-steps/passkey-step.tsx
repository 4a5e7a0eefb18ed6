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
          <button type="button" onClick={() => end('You have a new passkey.')}>
            Sign in again to use it
          </button>
        </p>
      ) : (
        <ConfirmedChange label="Add a passkey" change={add} />
      )}
    </StepPanel>
  );
}
