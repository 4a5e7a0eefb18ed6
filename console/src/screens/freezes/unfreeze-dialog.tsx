/** Lifts a freeze: what works again from then on, and a passkey. */
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { Dialog } from '../../design/dialog.js';
import { Fact, Facts } from '../../design/pieces.js';
import { useChange } from '../../vault/vault-queries.js';
import { askFreeze, targetOf, type FreezeInForce } from './freeze-scopes.js';
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
      </Facts>
      <ConfirmedChange
        kind="danger"
        label={`Unfreeze ${freeze.scope === 'system' ? 'the whole system' : `this ${freeze.scope}`}`}
        change={unfreeze}
      />
    </Dialog>
  );
}
