/** Lifts a freeze: what works again from then on, and a passkey. */
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { Dialog } from '../../design/dialog.js';
import { Fact, Facts } from '../../design/pieces.js';
import { useChange } from '../../vault/vault-queries.js';
import { askFreeze } from './freeze-scopes.js';
import { FrozenThing, type FreezeInForce } from './frozen-thing.js';
import { useWalletPlace } from './wallet-place.js';

interface UnfreezeDialogProps {
  readonly freeze: FreezeInForce;
  readonly onClose: () => void;
}

export function UnfreezeDialog({ freeze, onClose }: UnfreezeDialogProps) {
  const place = useWalletPlace(freeze);
  const unfreeze = useChange((calls) =>
    askFreeze(calls, 'unfreeze', { scope: freeze.scope, ...place.target }, ''),
  );
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
        disabledBecause={place.isKnown ? undefined : 'Looking for the vault of this wallet …'}
        change={unfreeze}
      />
    </Dialog>
  );
}
