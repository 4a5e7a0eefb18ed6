/** Lifts a freeze: what works again from then on, and a passkey. */
import { Link } from '@tanstack/react-router';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { Dialog } from '../../design/dialog.js';
import { Fact, Facts } from '../../design/pieces.js';
import { useChange } from '../../vault/vault-queries.js';
import { WaitingNote } from '../../vault/waiting-note.js';
import { askFreeze, targetOf, vaultsTouched, type FreezeInForce } from './freeze-scopes.js';
import { FrozenThing } from './frozen-thing.js';

interface UnfreezeDialogProps {
  readonly freeze: FreezeInForce;
  readonly onClose: () => void;
}

export function UnfreezeDialog({ freeze, onClose }: UnfreezeDialogProps) {
  const unfreeze = useChange((calls) => askFreeze(calls, 'unfreeze', targetOf(freeze), ''));
  if (unfreeze.isSuccess) {
    return (
      <Dialog title="Unfrozen" onClose={onClose}>
        <p role="status">
          <FrozenThing freeze={freeze} /> is no longer frozen by this freeze.
        </p>
      </Dialog>
    );
  }
  return (
    <Dialog title="Unfreeze" onClose={onClose}>
      <Facts>
        <Fact name="Lifts the freeze of">
          <FrozenThing freeze={freeze} />
        </Fact>
        <Fact name="Works again">
          What this freeze alone stops. What another freeze stops as well stays stopped.
        </Fact>
        <Fact name="Waiting for approvals">
          What still waits under it can be approved and takes effect from then on: look under{' '}
          <Link to="/requests">Requests</Link> first.
        </Fact>
      </Facts>
      <WaitingNote action="unfreeze" vaultIds={vaultsTouched(freeze)} />
      <ConfirmedChange
        kind="danger"
        label={`Unfreeze ${freeze.scope === 'system' ? 'the whole system' : `this ${freeze.scope}`}`}
        change={unfreeze}
      />
    </Dialog>
  );
}
