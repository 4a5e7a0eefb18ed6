/** One user: credentials, groups, and taking them away. */
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { OperationValue } from '@countersign/client/operation-calls.js';
import { Button } from '../../design/button.js';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { DeletionDialog } from '../../vault/deletion-dialog.js';
import { CopyableId } from '../../design/copyable-id.js';
import { Fact, Facts, Name, Panel, Quiet, Row, Screen, Time } from '../../design/pieces.js';
import { Fault } from '../../vault/fault.js';
import { visibleText } from '../../design/visible-text.js';
import { withChanges } from './group-changes.js';
import { useAllRows, useChange, useRead } from '../../vault/vault-queries.js';
import { FreezeDialog } from '../freezes/freeze-dialog.js';
import { AddressesPanel } from './addresses-panel.js';
import { UserState } from './users-screen.js';

type User = OperationValue<'get-user'>;

export function UserScreen() {
  const { userId } = useParams({ strict: false }) as { userId: string };
  const { data: user, error } = useRead('get-user', { params: { user_id: userId } });
  if (user !== undefined) return <LoadedUser key={user.id} user={user} />;
  return (
    <Screen title="User">
      <Fault error={error} />
      {error === null && <Quiet>Loading the user …</Quiet>}
    </Screen>
  );
}

function LoadedUser({ user }: { readonly user: User }) {
  const [isDeleting, setDeleting] = useState(false);
  const [isFreezing, setFreezing] = useState(false);
  return (
    <Screen title={visibleText(user.display_name)}>
      <Row>
        <Link to="/users">All users</Link>
        <Link to="/audit" search={{ user_ids: user.id }}>
          What they asked for
        </Link>
      </Row>
      <Facts>
        <Fact name="Kind">{user.type === 'human' ? 'person' : 'machine'}</Fact>
        <Fact name="State">
          <UserState user={user} />{' '}
          {user.frozen_by.length > 0 && <Link to="/freezes">Why, and how it is lifted</Link>}
        </Fact>
        {user.type === 'human' && (
          <Fact name="Email">
            <Name text={user.email} />
          </Fact>
        )}
        <Fact name="Id">
          <CopyableId text={user.id} what="user id" />
        </Fact>
        <Fact name="Since">
          <Time at={user.created_at} />
        </Fact>
      </Facts>
      <CredentialsPanel user={user} />
      {user.type === 'machine' && <AddressesPanel user={user} />}
      <GroupsPanel user={user} />
      <Row>
        <Button kind="danger" onPress={() => setFreezing(true)}>
          Freeze {visibleText(user.display_name)}…
        </Button>
        <Button kind="danger" onPress={() => setDeleting(true)}>
          Delete {visibleText(user.display_name)}…
        </Button>
      </Row>
      {isFreezing && (
        <FreezeDialog
          about={{ scope: 'user', id: user.id, name: `user ${user.display_name}` }}
          onClose={() => setFreezing(false)}
        />
      )}
      {isDeleting && <DeleteUserDialog user={user} onClose={() => setDeleting(false)} />}
    </Screen>
  );
}

function CredentialsPanel({ user }: { readonly user: User }) {
  return (
    <Panel title="Credentials">
      {user.credentials.length === 0 && (
        <Quiet>None yet: the user signs nothing before they have enrolled with their code.</Quiet>
      )}
      {user.credentials.map((credential) => (
        <Facts key={credential.id}>
          <Fact name={credential.type}>
            <Name text={credential.display_name ?? credential.id} />
          </Fact>
          <Fact name="Since">
            <Time at={credential.created_at} />
          </Fact>
        </Facts>
      ))}
    </Panel>
  );
}

function GroupsPanel({ user }: { readonly user: User }) {
  const { rows: groups } = useAllRows('list-user-groups', { query: { limit: '100' } });
  // changes alone: what somebody else takes away or gives meanwhile stays as they left it
  const [changed, setChanged] = useState<Readonly<Record<string, boolean>>>({});
  const now = user.user_groups.map(({ id }) => id);
  const shown = withChanges(now, changed);
  const isChanged = shown.length !== now.length || shown.some((id) => !now.includes(id));
  const save = useChange(async (calls) => {
    const answer = await calls.call('update-user', {
      params: { user_id: user.id },
      body: { user_group_ids: shown },
    });
    if (answer.ok) setChanged({});
    return answer;
  });
  return (
    <Panel title="Groups">
      {groups.length === 0 && <Quiet>There is no group yet: make one on the page Users.</Quiet>}
      {groups.map(({ id, display_name: name }) => (
        <label key={id}>
          <input
            type="checkbox"
            checked={shown.includes(id)}
            onChange={({ target }) => setChanged({ ...changed, [id]: target.checked })}
          />{' '}
          {visibleText(name)}
        </label>
      ))}
      {isChanged && (
        <ConfirmedChange
          label={`Change the groups of ${visibleText(user.display_name)}`}
          change={save}
        />
      )}
    </Panel>
  );
}

interface DeleteUserDialogProps {
  readonly user: User;
  readonly onClose: () => void;
}

function DeleteUserDialog({ user, onClose }: DeleteUserDialogProps) {
  const remove = useChange((calls) => calls.call('delete-users', { query: { user_ids: user.id } }));
  const name = visibleText(user.display_name);
  return (
    <DeletionDialog
      leadsTo="/users"
      act={`Delete ${user.type === 'human' ? 'person' : 'machine'} ${name}`}
      done={`${name} is no user any more.`}
      change={remove}
      onClose={onClose}
    >
      <p>
        The credentials of {name} end for good, their approvals count no more, and what they asked
        for and still waits comes to nothing. The ledger keeps what they did.
      </p>
      <Quiet>To stop somebody for a while, freeze them.</Quiet>
    </DeletionDialog>
  );
}
