/** People and machines that may ask this vault for something, and the groups that policies name. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { OperationValue } from '@countersign/client/operation-calls.js';
import { Button } from '../../design/button.js';
import { NameSearch } from '../../design/name-search.js';
import type { Mood } from '../../design/mood-icon.js';
import { Badge, Name, Panel, Quiet, Row, Screen, Time } from '../../design/pieces.js';
import type { Column } from '../../design/data-table.js';
import { stateWords } from '../../vault/frozen-words.js';
import { RowTable } from '../../vault/row-table.js';
import { useRows } from '../../vault/vault-queries.js';
import { visibleText } from '../../design/visible-text.js';
import { DeleteUserGroupDialog } from './delete-user-group-dialog.js';
import { NewUserDialog } from './new-user-dialog.js';
import { NewUserGroupDialog } from './new-user-group-dialog.js';

export type ListedUser = OperationValue<'list-users'>['results'][number];
type UserGroup = OperationValue<'list-user-groups'>['results'][number];

export function UsersScreen() {
  const [part, setPart] = useState('');
  const [opened, setOpened] = useState<'user' | 'group'>();
  const query = { limit: '100', ...(part !== '' && { display_name_like: part }) };
  const users = useRows('list-users', { query });
  return (
    <Screen title="Users" lead="Who may ask, by whose credential it is known, and in which groups.">
      <Row>
        <Button kind="main" onPress={() => setOpened('user')}>
          New user…
        </Button>
        <Button onPress={() => setOpened('group')}>New group…</Button>
      </Row>
      <NameSearch part={part} onChange={setPart} />
      <RowTable
        caption="Users"
        columns={USER_COLUMNS}
        list={users}
        idOf={({ id }) => id}
        empty={
          <>
            <strong>No user has such a name.</strong>
            <Quiet>Look for another part of it, or make a new user.</Quiet>
          </>
        }
      />
      <GroupsList />
      {opened === 'user' && <NewUserDialog onClose={() => setOpened(undefined)} />}
      {opened === 'group' && <NewUserGroupDialog onClose={() => setOpened(undefined)} />}
    </Screen>
  );
}

function GroupsList() {
  const [deleting, setDeleting] = useState<UserGroup>();
  const groups = useRows('list-user-groups', { query: { limit: '100' } });
  return (
    <Panel title="Groups">
      <RowTable
        caption="Groups of users"
        columns={groupColumns(setDeleting)}
        list={groups}
        idOf={({ id }) => id}
        empty={
          <>
            <strong>There is no group yet.</strong>
            <Quiet>Policies that name a group need no change when somebody joins or leaves.</Quiet>
          </>
        }
      />
      {deleting !== undefined && (
        <DeleteUserGroupDialog group={deleting} onClose={() => setDeleting(undefined)} />
      )}
    </Panel>
  );
}

const USER_COLUMNS: readonly Column<ListedUser>[] = [
  {
    title: 'Name',
    sortBy: ({ display_name: name }) => name,
    cell: ({ id, display_name: name }) => (
      <Link to="/users/$userId" params={{ userId: id }}>
        <Name text={name} />
      </Link>
    ),
  },
  {
    title: 'Kind',
    cell: ({ type }) => (type === 'human' ? 'person' : 'machine'),
    sortBy: ({ type }) => type,
  },
  { title: 'State', cell: (user) => <UserState user={user} />, sortBy: ({ status }) => status },
  {
    title: 'Groups',
    cell: ({ user_groups: groups }) =>
      groups.length === 0 ? (
        'none'
      ) : (
        <Name text={groups.map((one) => one.display_name).join(', ')} />
      ),
  },
  {
    title: 'Since',
    cell: ({ created_at: at }) => <Time at={at} />,
    sortBy: ({ created_at: at }) => at,
  },
];

const groupColumns = (remove: (group: UserGroup) => void): readonly Column<UserGroup>[] => [
  {
    title: 'Name',
    cell: ({ display_name: name }) => <Name text={name} />,
    sortBy: ({ display_name: name }) => name,
  },
  {
    title: 'What for',
    isText: true,
    cell: ({ description }) => <Name text={description ?? 'not said'} />,
  },
  {
    title: 'Since',
    cell: ({ created_at: at }) => <Time at={at} />,
    sortBy: ({ created_at: at }) => at,
  },
  {
    title: 'Delete',
    cell: (group) => (
      <Button onPress={() => remove(group)}>Delete {visibleText(group.display_name)}…</Button>
    ),
  },
];

const MOODS: Readonly<Record<ListedUser['status'], Mood>> = {
  active: 'good',
  frozen: 'bad',
  expired: 'bad',
  pending_enrollment: 'warn',
};

export function UserState({ user }: { readonly user: Pick<ListedUser, 'status' | 'frozen_by'> }) {
  return <Badge mood={MOODS[user.status]}>{stateWords(user, 'user')}</Badge>;
}
