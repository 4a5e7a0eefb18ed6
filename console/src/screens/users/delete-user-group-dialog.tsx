/** Takes a group of users away, once nobody is in it. */
import type { OperationValue } from '@countersign/client/operation-calls.js';
import { Name, Quiet } from '../../design/pieces.js';
import { visibleText } from '../../design/visible-text.js';
import { DeletionDialog } from '../../vault/deletion-dialog.js';
import { useChange, useRows } from '../../vault/vault-queries.js';

interface DeleteUserGroupDialogProps {
  readonly group: OperationValue<'list-user-groups'>['results'][number];
  readonly onClose: () => void;
}

const SHOWN = 12;
/** Somebody takes them out meanwhile. */
const LOOK_MS = 3_000;

export function DeleteUserGroupDialog({ group, onClose }: DeleteUserGroupDialogProps) {
  const query = { limit: '100', is_in_groups: group.id };
  const { rows: members, query: list } = useRows('list-users', { query }, { everyMs: LOOK_MS });
  const remove = useChange((calls) =>
    calls.call('delete-user-group', { params: { group_id: group.id } }),
  );
  const name = visibleText(group.display_name);
  return (
    <DeletionDialog
      act={`Delete group ${name}`}
      done={`${name} is no group any more.`}
      disabledBecause={obstacle(list.isPending, members.length)}
      change={remove}
      onClose={onClose}
    >
      {members.length > 0 && (
        <p>
          In it{list.hasNextPage && ', among others'}:{' '}
          <Name
            text={members
              .slice(0, SHOWN)
              .map((one) => one.display_name)
              .join(', ')}
          />
          {members.length > SHOWN && ', …'}
        </p>
      )}
      <Quiet>A group that a policy names is not deleted: the vault says which policies.</Quiet>
    </DeletionDialog>
  );
}

function obstacle(isLooking: boolean, members: number): string | undefined {
  if (isLooking) return 'Looking for its members …';
  return members === 0 ? undefined : 'Take its members out first, each on their own page.';
}
