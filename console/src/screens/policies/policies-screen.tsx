/** Security groups, and the policies of each in the order in which they are evaluated. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../design/button.js';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { OrderedList } from '../../design/ordered-list.js';
import { Name, Panel, Quiet, Row, Screen, Unseen } from '../../design/pieces.js';
import { Fault } from '../../vault/fault.js';
import { visibleText } from '../../design/visible-text.js';
import { useChange, useRows } from '../../vault/vault-queries.js';
import { DeleteGroupDialog } from './delete-policy-dialogs.js';
import { MembersDialog } from './members-dialog.js';
import { NewGroupDialog } from './new-group-dialog.js';
import { NewPolicyDialog } from './new-policy-dialog.js';
import type { SecurityGroup, SigningPolicy } from './policy-queries.js';

const MOST = { limit: '100' };

export function PoliciesScreen() {
  const [isMaking, setMaking] = useState(false);
  // here, since its panel goes with a group
  const [deleting, setDeleting] = useState<SecurityGroup>();
  const groups = useRows('list-security-groups', { query: MOST });
  const policies = useRows('list-signing-policies', { query: MOST });
  const policiesOf = ({ id }: SecurityGroup) =>
    policies.rows.filter((one) => one.security_group_id === id);
  return (
    <Screen
      title="Policies"
      lead="Who may have what signed. A security group joins keys and wallets to policies; the first rule that fits decides, and what no rule allows is denied."
    >
      <Row>
        <Button onPress={() => setMaking(true)}>New security group…</Button>
      </Row>
      <Fault error={groups.query.error ?? policies.query.error} />
      {groups.query.isPending && <Quiet>Loading policies …</Quiet>}
      {groups.query.isSuccess && groups.rows.length === 0 && (
        <Panel>
          <strong>There is no security group yet, so nothing can be signed.</strong>
          <Quiet>Make one with the keys or wallets that it is about, then give it a policy.</Quiet>
        </Panel>
      )}
      {groups.rows.map((group) => (
        <GroupPanel
          key={group.id}
          group={group}
          policies={policiesOf(group)}
          onDelete={() => setDeleting(group)}
        />
      ))}
      {groups.query.hasNextPage && (
        <Button onPress={() => void groups.query.fetchNextPage()}>Show more groups</Button>
      )}
      {policies.query.hasNextPage && (
        <Button onPress={() => void policies.query.fetchNextPage()}>Show more policies</Button>
      )}
      {isMaking && <NewGroupDialog onClose={() => setMaking(false)} />}
      {deleting !== undefined && (
        <DeleteGroupDialog
          group={deleting}
          policies={policiesOf(deleting)}
          onClose={() => setDeleting(undefined)}
        />
      )}
    </Screen>
  );
}

interface GroupPanelProps {
  readonly group: SecurityGroup;
  readonly policies: readonly SigningPolicy[];
  readonly onDelete: () => void;
}

function GroupPanel({ group, policies, onDelete }: GroupPanelProps) {
  const [order, setOrder] = useState<readonly SigningPolicy[]>();
  const inOrder = order ?? policies.toSorted((a, b) => a.position - b.position);
  const move = (policy: SigningPolicy, to: number) => {
    const others = inOrder.filter((one) => one.id !== policy.id);
    setOrder(others.toSpliced(to, 0, policy));
  };
  const isWhole = group.signing_policy_ids.length === policies.length;
  return (
    <Panel title={visibleText(group.display_name)}>
      <Quiet>
        {group.members.length} named {group.members.length === 1 ? 'member' : 'members'}
        {group.selector === undefined ? '' : ', and those that it selects by labels'}
      </Quiet>
      {inOrder.length === 0 ? (
        <Quiet>No policy yet: everything that is asked of its members is denied.</Quiet>
      ) : (
        <OrderedList
          label={`Policies of ${visibleText(group.display_name)}, first to be evaluated first`}
          items={inOrder}
          keyOf={({ id }) => id}
          nameOf={(policy) => policy.display_name}
          onMove={isWhole && inOrder.length > 1 ? move : undefined}
        >
          {(policy) => (
            <>
              <Link to="/policies/$policyId" params={{ policyId: policy.id }}>
                <Name text={policy.display_name} />
              </Link>
              <Quiet>
                {policy.rules.length} {policy.rules.length === 1 ? 'rule' : 'rules'}, version{' '}
                {policy.version}
              </Quiet>
            </>
          )}
        </OrderedList>
      )}
      {order !== undefined && (
        <NewOrder group={group} order={order} onEnd={() => setOrder(undefined)} />
      )}
      <GroupActs group={group} onDelete={onDelete} />
    </Panel>
  );
}

function GroupActs({ group, onDelete }: Omit<GroupPanelProps, 'policies'>) {
  const [opened, setOpened] = useState<'policy' | 'members'>();
  const close = () => setOpened(undefined);
  return (
    <>
      <Row>
        <Button onPress={() => setOpened('policy')}>
          New policy…<Unseen> for {visibleText(group.display_name)}</Unseen>
        </Button>
        <Button onPress={() => setOpened('members')}>
          Members…<Unseen> of {visibleText(group.display_name)}</Unseen>
        </Button>
        <Button onPress={onDelete}>Delete {visibleText(group.display_name)}…</Button>
      </Row>
      {opened === 'policy' && <NewPolicyDialog group={group} onClose={close} />}
      {opened === 'members' && <MembersDialog group={group} onClose={close} />}
    </>
  );
}

interface NewOrderProps {
  readonly group: SecurityGroup;
  readonly order: readonly SigningPolicy[];
  readonly onEnd: () => void;
}

function NewOrder({ group, order, onEnd }: NewOrderProps) {
  const publish = useChange(async (calls) => {
    const answer = await calls.call('order-signing-policies', {
      params: { group_id: group.id },
      body: { signing_policy_ids: order.map(({ id }) => id) },
    });
    if (answer.ok) onEnd();
    return answer;
  });
  return (
    <>
      <ConfirmedChange
        label={`Publish the order of ${visibleText(group.display_name)}`}
        change={publish}
      />
      <Row>
        <Button onPress={onEnd}>Leave the order as it was</Button>
      </Row>
    </>
  );
}
