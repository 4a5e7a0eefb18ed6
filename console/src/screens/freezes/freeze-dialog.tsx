/** A freeze from any page: what, whom it stops, why, and a passkey. Nothing is chosen beforehand but on the page of what it is about. */
import { lazy, Suspense, useState } from 'react';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { Choice } from '../../design/choice.js';
import { Dialog } from '../../design/dialog.js';
import { Fact, Facts, Field, Quiet } from '../../design/pieces.js';
import { visibleText } from '../../design/visible-text.js';
import { useChange } from '../../vault/vault-queries.js';
import { FreezeEffects } from './freeze-effects.js';
import { askFreeze, STOPS, WAITING, type FreezeTarget, type Scope } from './freeze-scopes.js';
import { TargetChoice, type ChosenTarget } from './target-choice.js';

/** With its table, which no first page needs: a freeze can be asked for on each. */
const StoppedSince = lazy(async () => ({
  default: (await import('./stopped-since.js')).StoppedSince,
}));

const SCOPES: Readonly<Record<Scope, string>> = {
  user: 'A bot or person',
  key: 'A key',
  wallet: 'A wallet',
  venue: 'A venue, with every key for it',
  vault: 'A vault, with every wallet in it',
  system: 'The whole system',
};
const WHOLE_SYSTEM: ChosenTarget = { scope: 'system', id: 'system', name: 'the whole system' };

interface FreezeDialogProps {
  /** Of the page that it was opened from; absent: it is chosen here. */
  readonly about?: ChosenTarget;
  readonly onClose: () => void;
}

export function FreezeDialog({ about, onClose }: FreezeDialogProps) {
  const [target, setTarget] = useState(about);
  const [scope, setScope] = useState(about?.scope);
  const [reason, setReason] = useState('');
  const freeze = useChange((calls, asked: FreezeTarget) =>
    askFreeze(calls, 'freeze', asked, reason.trim()),
  );
  if (freeze.isSuccess && target !== undefined) {
    return (
      <Dialog title="Frozen" onClose={onClose}>
        <Frozen target={target} />
      </Dialog>
    );
  }
  return (
    <Dialog title="Freeze" onClose={onClose}>
      {about === undefined && (
        <Choice
          label="What"
          options={SCOPES}
          value={scope}
          onChange={(next) => {
            setScope(next);
            setTarget(next === 'system' ? WHOLE_SYSTEM : undefined);
          }}
        />
      )}
      {about === undefined && scope !== undefined && scope !== 'system' && (
        <TargetChoice key={scope} scope={scope} onChoose={setTarget} />
      )}
      <WhatItDoes about={about} scope={scope} target={target} />
      <Field label="Why (optional, kept in the ledger)">
        <input
          value={reason}
          maxLength={512}
          onChange={({ target: { value } }) => setReason(value)}
        />
      </Field>
      <ConfirmedChange
        kind="danger"
        label={`Freeze ${target?.name ?? '…'}`}
        disabledBecause={target === undefined ? 'Choose what to freeze first.' : undefined}
        change={{ ...freeze, mutate: () => target !== undefined && freeze.mutate(target) }}
      />
    </Dialog>
  );
}

interface WhatItDoesProps {
  readonly about: ChosenTarget | undefined;
  readonly scope: Scope | undefined;
  readonly target: ChosenTarget | undefined;
}

function WhatItDoes({ about, scope, target }: WhatItDoesProps) {
  return (
    <Facts>
      {about !== undefined && <Fact name="What">{visibleText(about.name)}</Fact>}
      {scope !== undefined && <Fact name="Stops">{STOPS[scope]}</Fact>}
      {scope !== undefined && <Fact name="Waiting for approvals">{WAITING[scope]}</Fact>}
      {target !== undefined && <FreezeEffects target={target} />}
    </Facts>
  );
}

function Frozen({ target }: { readonly target: ChosenTarget }) {
  return (
    <>
      <p role="status">Frozen: {target.name}. From now on no party signs what this stops.</p>
      <Suspense fallback={<Quiet>Reading what it stopped …</Quiet>}>
        <StoppedSince target={target} />
      </Suspense>
      <Quiet>To lift it, open “Freezes”: it lists all that are in force.</Quiet>
    </>
  );
}
