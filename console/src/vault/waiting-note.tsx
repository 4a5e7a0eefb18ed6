/** Says before it is asked for whether an act waits for approvals. */
import { Quiet } from '../design/pieces.js';
import { useSession } from '../session/session-store.js';
import { demandsOf, waitingWords } from './approval-demands.js';
import { useRead, useRows } from './vault-queries.js';

/** What is signed by it is not to be what held a while ago. */
const LOOK_MS = 5_000;

interface WaitingNoteProps {
  /** The right that it takes. */
  readonly action:
    | 'unfreeze'
    | 'manage_signing_policies'
    | 'manage_admin_policies'
    | 'modify_system_settings';
  /** The vaults that it touches; empty: it is confined to none; undefined: not known. */
  readonly vaultIds: readonly string[] | undefined;
}

export function WaitingNote({ action, vaultIds }: WaitingNoteProps) {
  const session = useSession();
  // the groups that one is in may be others than when one signed in
  const { data: person = session.person } = useRead('whoami', {}, { everyMs: LOOK_MS });
  const { rows, query } = useRows(
    'list-admin-policies',
    { query: { actions: action, limit: '100' } },
    { everyMs: LOOK_MS },
  );
  if (query.isPending) return <Quiet>Reading whether it waits for approvals …</Quiet>;
  const isKnown = query.isSuccess && !query.hasNextPage && vaultIds !== undefined;
  return (
    <Quiet>
      {isKnown
        ? waitingWords(demandsOf(rows, person, vaultIds))
        : 'It may wait for approvals: which administrative policies ask for them, this page cannot see.'}
    </Quiet>
  );
}
