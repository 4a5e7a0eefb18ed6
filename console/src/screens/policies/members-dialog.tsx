/** Who is in a security group: keys and wallets, taken out and put in one by one. */
import { useState } from 'react';
import type { OperationCalls } from '@countersign/client/operation-calls.js';
import { Button } from '../../design/button.js';
import { Choice } from '../../design/choice.js';
import { DataTable, type Column } from '../../design/data-table.js';
import { Dialog } from '../../design/dialog.js';
import { Quiet, Row } from '../../design/pieces.js';
import { visibleText } from '../../design/visible-text.js';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { KeyName } from '../../vault/names.js';
import { useChange } from '../../vault/vault-queries.js';
import { TargetChoice, type ChosenTarget } from '../freezes/target-choice.js';
import type { SecurityGroup } from './policy-queries.js';

type Member = SecurityGroup['members'][number];
const KINDS = { key: 'A key', wallet: 'A wallet' } as const;

interface MembersDialogProps {
  readonly group: SecurityGroup;
  readonly onClose: () => void;
}

export function MembersDialog({ group, onClose }: MembersDialogProps) {
  const [leaving, setLeaving] = useState<Member>();
  const name = visibleText(group.display_name);
  return (
    <Dialog title={`Members of ${name}`} onClose={onClose}>
      {group.members.length === 0 ? (
        <Quiet>No key and no wallet is named as a member.</Quiet>
      ) : (
        <DataTable
          caption="Named members"
          columns={columnsWith(setLeaving)}
          rows={group.members}
          idOf={({ member_id: id }) => id}
        />
      )}
      {leaving === undefined ? (
        <Joining group={group} />
      ) : (
        <Leaving
          key={leaving.member_id}
          group={group}
          member={leaving}
          onEnd={() => setLeaving(undefined)}
        />
      )}
    </Dialog>
  );
}

const columnsWith = (take: (member: Member) => void): readonly Column<Member>[] => [
  { title: 'Kind', cell: ({ member_type: type }) => type },
  { title: 'Member', cell: (member) => <MemberName member={member} /> },
  { title: 'Take out', cell: (member) => <Button onPress={() => take(member)}>Take out…</Button> },
];

function MemberName({ member: { member_id: id, member_type: type } }: { readonly member: Member }) {
  return type === 'key' ? <KeyName id={id} /> : <code>{id}</code>;
}

interface LeavingProps {
  readonly group: SecurityGroup;
  readonly member: Member;
  readonly onEnd: () => void;
}

function Leaving({ group, member, onEnd }: LeavingProps) {
  const { member_id: id, member_type: type } = member;
  const leave = useChange(async (calls) => {
    const params = { group_id: group.id };
    const query = { member_ids: id };
    const answer = await calls.call('delete-security-group-members', { params, query });
    if (answer.ok) onEnd();
    return answer;
  });
  return (
    <>
      <p>
        The {type} <MemberName member={member} /> leaves {visibleText(group.display_name)}: its
        policies decide about it no more, and with no other group it signs nothing.
      </p>
      <Row>
        <Button onPress={onEnd}>Leave it in</Button>
      </Row>
      <ConfirmedChange
        kind="danger"
        label={`Take this ${type} out of ${visibleText(group.display_name)}`}
        change={leave}
      />
    </>
  );
}

function Joining({ group }: { readonly group: SecurityGroup }) {
  const [kind, setKind] = useState<keyof typeof KINDS>('key');
  const [chosen, setChosen] = useState<ChosenTarget>();
  const join = useChange((calls) => putMember(calls, group.id, chosen));
  return (
    <>
      <h3>Put another in</h3>
      <Choice
        label="What kind"
        options={KINDS}
        value={kind}
        onChange={(next) => {
          setKind(next);
          setChosen(undefined);
        }}
      />
      <TargetChoice key={kind} scope={kind} onChoose={setChosen} />
      <ConfirmedChange
        label={`Put ${chosen?.name ?? `a ${kind}`} into ${visibleText(group.display_name)}`}
        disabledBecause={chosen === undefined ? `Choose the ${kind} first.` : undefined}
        change={join}
      />
    </>
  );
}

/** A wallet is chosen by its address, and is a member by its id. */
async function putMember(calls: OperationCalls, groupId: string, chosen: ChosenTarget | undefined) {
  const type = chosen?.scope === 'wallet' ? 'wallet' : 'key';
  let memberId = chosen?.id ?? '';
  if (type === 'wallet') {
    const params = { vault_id: chosen?.vaultId ?? '', address: memberId };
    const wallet = await calls.call('get-wallet', { params });
    if (!wallet.ok) return wallet;
    memberId = wallet.value.id;
  }
  return calls.call('patch-security-group-members', {
    params: { group_id: groupId },
    body: { add: [{ member_id: memberId, member_type: type }] },
  });
}
