/** The end of every dialog that changes something: signs it with the passkey, and says what came of it. */
import type { UseMutationResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { pendingRequestOf } from './vault-queries.js';
import { Button } from '../design/button.js';
import { DialogEnd } from '../design/dialog.js';
import { Quiet, Row } from '../design/pieces.js';
import { Fault } from './fault.js';

interface ConfirmedChangeProps {
  /** What it does and to what, e.g. `Freeze vault Treasury`. */
  readonly label: string;
  readonly kind?: 'main' | 'danger';
  readonly disabledBecause?: string | undefined;
  /** Beside the button. */
  readonly note?: string;
  readonly change: Pick<UseMutationResult<unknown, Error, void>, 'isPending' | 'error' | 'mutate'>;
  /** What is signed, where it is to be in sight beside the button. */
  readonly children?: ReactNode;
}

export function ConfirmedChange(props: ConfirmedChangeProps) {
  const { label, kind = 'main', disabledBecause, change } = props;
  const { note = 'You sign it with your passkey.' } = props;
  const pending = pendingRequestOf(change.error);
  const busy = change.isPending ? 'Follow what your device asks.' : undefined;
  if (pending !== undefined) return <Pending requestId={pending} />;
  return (
    <DialogEnd>
      {props.children}
      <Row>
        <Button
          kind={kind}
          disabledBecause={busy ?? disabledBecause}
          onPress={() => change.mutate()}
        >
          {label}
        </Button>
      </Row>
      <Quiet>{note}</Quiet>
      <Fault error={change.error} />
    </DialogEnd>
  );
}

function Pending({ requestId }: { readonly requestId: string }) {
  return (
    <p role="status">
      The vault took the request and it is not done yet: it may wait for approvals.{' '}
      <Link to="/requests/$requestId" params={{ requestId }}>
        Follow the request
      </Link>
    </p>
  );
}
