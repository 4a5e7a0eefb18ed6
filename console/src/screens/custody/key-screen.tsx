/** One key. */
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { OperationValue } from '@countersign/client/operation-calls.js';
import { Button } from '../../design/button.js';
import { DeletionDialog } from '../../vault/deletion-dialog.js';
import { CopyableId } from '../../design/copyable-id.js';
import { Block, Fact, Facts, Field, Quiet, Row, Screen, Time } from '../../design/pieces.js';
import { Fault } from '../../vault/fault.js';
import { visibleText } from '../../design/visible-text.js';
import { UserName } from '../../vault/names.js';
import { useChange, useRead } from '../../vault/vault-queries.js';
import { FreezeDialog } from '../freezes/freeze-dialog.js';
import { CustodyState } from './custody-state.js';

type Key = OperationValue<'get-key'>;

/** Somebody else may freeze what it belongs to. */
const LOOK_MS = 10_000;

export function KeyScreen() {
  const { keyId } = useParams({ strict: false }) as { keyId: string };
  const { data: key, error } = useRead(
    'get-key',
    { params: { key_id: keyId } },
    { everyMs: LOOK_MS },
  );
  if (key !== undefined) return <LoadedKey vaultKey={key} />;
  return (
    <Screen title="Key">
      <Fault error={error} />
      {error === null && <Quiet>Loading the key …</Quiet>}
    </Screen>
  );
}

function LoadedKey({ vaultKey: key }: { readonly vaultKey: Key }) {
  return (
    <Screen title={visibleText(key.display_name)}>
      <Row>
        <Link to="/keys">All keys</Link>
        <Link to="/audit" search={{ key_ids: key.id }}>
          What was signed and refused with it
        </Link>
      </Row>
      <Facts>
        <Fact name="State">
          <CustodyState thing={key} own="key" />{' '}
          {key.frozen_by.length > 0 && <Link to="/freezes">Why, and how it is lifted</Link>}
        </Fact>
        <Fact name="Kind">
          {key.type}, signs {key.scheme}
        </Fact>
        <Fact name="Custody">{key.custody}</Fact>
        <Fact name="Venue">{key.venue_id ?? 'none'}</Fact>
        <Fact name="Labels">
          {Object.entries(key.labels)
            .map(([name, value]) => `${name}: ${value}`)
            .join(', ') || 'none'}
        </Fact>
        <Fact name="Id">
          <CopyableId text={key.id} what="key id" />
        </Fact>
        <Fact name="Made">
          <Time at={key.created_at} /> by <UserName id={key.created_by} />
        </Fact>
      </Facts>
      {key.public_key != null && <Block label="Public key" text={key.public_key.pem} />}
      <StoppingActs vaultKey={key} />
    </Screen>
  );
}

/** For a while, or for good. */
function StoppingActs({ vaultKey: key }: { readonly vaultKey: Key }) {
  const [open, setOpen] = useState<'freeze' | 'destroy'>();
  const close = () => setOpen(undefined);
  const name = visibleText(key.display_name);
  const gone = key.status === 'destroyed' ? 'It is destroyed already.' : undefined;
  return (
    <>
      <Row>
        <Button kind="danger" disabledBecause={gone} onPress={() => setOpen('freeze')}>
          Freeze {name}…
        </Button>
        <Button kind="danger" disabledBecause={gone} onPress={() => setOpen('destroy')}>
          Destroy {name}…
        </Button>
      </Row>
      {open === 'freeze' && (
        <FreezeDialog
          about={{ scope: 'key', id: key.id, name: `key ${key.display_name}` }}
          onClose={close}
        />
      )}
      {open === 'destroy' && <DestroyKeyDialog vaultKey={key} onClose={close} />}
    </>
  );
}

interface DestroyKeyDialogProps {
  readonly vaultKey: Key;
  readonly onClose: () => void;
}

/** The name is typed: what is destroyed never comes back. */
function DestroyKeyDialog({ vaultKey: key, onClose }: DestroyKeyDialogProps) {
  const [typed, setTyped] = useState('');
  const name = visibleText(key.display_name);
  const destroy = useChange((calls) => calls.call('destroy-key', { params: { key_id: key.id } }));
  return (
    <DeletionDialog
      act={`Destroy key ${name}`}
      done={`${name} signs nothing any more, ever.`}
      disabledBecause={typed === key.display_name ? undefined : 'Type its name first.'}
      change={destroy}
      onClose={onClose}
    >
      <p>
        The parties delete their shares of {name}. Nobody can sign with it again, and what only it
        could move stays where it is, for good.
      </p>
      <Field label={`Type its name: ${name}`}>
        <input value={typed} onChange={({ target }) => setTyped(target.value)} />
      </Field>
    </DeletionDialog>
  );
}
