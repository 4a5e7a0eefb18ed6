/** Leads to the page of the queues, which is bull-board's and stands in a tab of its own. */
import type { MouseEvent } from 'react';
import { QUEUES_PATH } from '@countersign/api/operations/system-operations.js';
import { useSession } from '../../session/session-store.js';
import { Fault } from '../../vault/fault.js';
import { useChange } from '../../vault/vault-queries.js';

/** A navigation carries no token: before it the vault gives this browser a cookie. That tab has no hold on this one. */
export function QueuesLink() {
  const session = useSession();
  const letIn = useChange(() => session.openQueues());
  const go = async (event: MouseEvent) => {
    event.preventDefault();
    const { path } = await letIn.mutateAsync();
    window.open(path, '_blank', 'noopener');
  };
  return (
    <>
      <a
        href={QUEUES_PATH}
        target="_blank"
        rel="noopener"
        onClick={(event) => void go(event).catch(() => undefined)}
      >
        Queues (in a tab of their own)
      </a>
      <Fault error={letIn.error} />
    </>
  );
}
