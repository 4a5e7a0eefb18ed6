/** Takes away a policy, or a security group. */
import { Name, Quiet } from '../../design/pieces.js';
import { visibleText } from '../../design/visible-text.js';
import { DeletionDialog } from '../../vault/deletion-dialog.js';
import { useChange, useRead } from '../../vault/vault-queries.js';
import type { SecurityGroup, SigningPolicy } from './policy-queries.js';

interface DeletePolicyDialogProps {
  readonly policy: SigningPolicy;
  readonly onClose: () => void;
}

export function DeletePolicyDialog({ policy, onClose }: DeletePolicyDialogProps) {
  const groupId = policy.security_group_id;
  const { data: group } = useRead('get-security-group', { params: { group_id: groupId } });
  const remove = useChange((calls) =>
    calls.call('delete-signing-policy', { params: { policy_id: policy.id } }),
  );
  const name = visibleText(policy.display_name);
  return (
    <DeletionDialog
      leadsTo="/policies"
      act={`Delete policy ${name}`}
      done={`${name} decides about nothing any more.`}
      change={remove}
      onClose={onClose}
    >
      <p>
        Its rules ({policy.rules.length}) no longer hold for{' '}
        {group === undefined ? <code>{groupId}</code> : <Name text={group.display_name} />}: what
        they denied may be allowed by a policy that comes after it, and what they allowed is denied
        where none does.
      </p>
      <Quiet>Its versions stay in the ledger: receipts cite them.</Quiet>
    </DeletionDialog>
  );
}

interface DeleteGroupDialogProps {
  readonly group: SecurityGroup;
  readonly policies: readonly SigningPolicy[];
  readonly onClose: () => void;
}

export function DeleteGroupDialog({ group, policies, onClose }: DeleteGroupDialogProps) {
  const remove = useChange((calls) =>
    calls.call('delete-security-group', { params: { group_id: group.id } }),
  );
  const name = visibleText(group.display_name);
  return (
    <DeletionDialog
      act={`Delete security group ${name}`}
      done={`${name} is no security group any more.`}
      disabledBecause={policies.length === 0 ? undefined : 'Delete its policies first.'}
      change={remove}
      onClose={onClose}
    >
      <p>
        Its named members ({group.members.length})
        {group.selector === undefined ? '' : ', and those that it selects by labels,'} lose it: with
        no other group they sign nothing.
      </p>
      {policies.length > 0 && (
        <p>
          It still has policies: <Name text={policies.map((one) => one.display_name).join(', ')} />
        </p>
      )}
    </DeletionDialog>
  );
}
