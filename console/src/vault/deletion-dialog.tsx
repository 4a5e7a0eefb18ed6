/** Takes something away for good: names it, says what goes with it, and asks for the passkey. */
import type { UseMutationResult } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Dialog } from '../design/dialog.js';
import { ConfirmedChange } from './confirmed-change.js';

interface DeletionDialogProps {
  /** What is done to what, e.g. `Delete user Ada`. */
  readonly act: string;
  /** Once it is done, e.g. `Ada is no user any more.` */
  readonly done: string;
  /** What is hit. */
  readonly children: ReactNode;
  readonly disabledBecause?: string | undefined;
  readonly change: UseMutationResult<unknown, Error, void>;
  readonly onClose: () => void;
  /** The screen of what is gone is left for this one. */
  readonly leadsTo?: string;
}

export function DeletionDialog(props: DeletionDialogProps) {
  const { act, done, children, disabledBecause, change, onClose, leadsTo } = props;
  const navigate = useNavigate();
  if (change.isSuccess) {
    const leave = () => {
      onClose();
      if (leadsTo !== undefined) void navigate({ to: leadsTo });
    };
    return (
      <Dialog title="Done" onClose={leave}>
        <p role="status">{done}</p>
      </Dialog>
    );
  }
  return (
    <Dialog title={act} onClose={onClose}>
      {children}
      <ConfirmedChange
        kind="danger"
        label={act}
        disabledBecause={disabledBecause}
        change={change}
      />
    </Dialog>
  );
}
