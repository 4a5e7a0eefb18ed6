/** A freeze from any page: what, whom it stops, why, and a passkey. */
import { useState } from 'react';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { Dialog } from '../../design/dialog.js';
import { Fact, Facts, Field, Quiet } from '../../design/pieces.js';
import { useChange } from '../../vault/vault-queries.js';
import { FreezeEffects } from './freeze-effects.js';
import { askFreeze, SCOPES, STOPS, type FreezeTarget, type Scope } from './freeze-scopes.js';
import { TargetChoice, type ChosenTarget } from './target-choice.js';

const LABELS: Readonly<Record<Scope, string>> = {
  system: 'The whole system',
  vault: 'A vault',
  wallet: 'A wallet',
  venue: 'A venue',
  key: 'A key',
  user: 'A user',
};
const WHOLE_SYSTEM: ChosenTarget = { scope: 'system', id: 'system', name: 'the whole system' };

export function FreezeDialog({ onClose }: { readonly onClose: () => void }) {
  const [scope, setScope] = useState<Scope>('system');
  const [chosen, setChosen] = useState<ChosenTarget>();
  const [reason, setReason] = useState('');
  const target = scope === 'system' ? WHOLE_SYSTEM : chosen;
  const freeze = useChange((calls, asked: FreezeTarget) =>
    askFreeze(calls, 'freeze', asked, reason.trim()),
  );
  if (freeze.isSuccess && target !== undefined) return <Frozen target={target} onClose={onClose} />;
  return (
    <Dialog title="Freeze" onClose={onClose}>
      <Field label="What">
        <select
          value={scope}
          onChange={({ target: { value } }) => {
            setScope(SCOPES.find((name) => name === value) ?? 'system');
            setChosen(undefined);
          }}
        >
          {SCOPES.map((name) => (
            <option key={name} value={name}>
              {LABELS[name]}
            </option>
          ))}
        </select>
      </Field>
      {scope !== 'system' && <TargetChoice key={scope} scope={scope} onChoose={setChosen} />}
      <Facts>
        <Fact name="Stops">{STOPS[scope]}</Fact>
        {target !== undefined && <FreezeEffects target={target} />}
      </Facts>
      <Field label="Why (optional, kept in the ledger)">
        <input
          value={reason}
          maxLength={512}
          onChange={({ target: { value } }) => setReason(value)}
        />
      </Field>
      <ConfirmedChange
        kind="danger"
        label={`Freeze ${target?.name ?? LABELS[scope].toLowerCase()}`}
        disabledBecause={target === undefined ? 'Choose what to freeze first.' : undefined}
        change={{ ...freeze, mutate: () => target !== undefined && freeze.mutate(target) }}
      />
    </Dialog>
  );
}

function Frozen({ target, onClose }: { readonly target: ChosenTarget; onClose: () => void }) {
  return (
    <Dialog title="Frozen" onClose={onClose}>
      <p role="status">
        Frozen: {target.name}. From now on nothing that this stops leaves a party.
      </p>
      <Quiet>The freezes in force are on the page Freezes, from where they can be lifted.</Quiet>
    </Dialog>
  );
}
