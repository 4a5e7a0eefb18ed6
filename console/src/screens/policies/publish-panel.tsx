/** The end of a draft: what it changes, and the signature that puts it in force. */
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { Panel, Quiet } from '../../design/pieces.js';
import { visibleText } from '../../design/visible-text.js';
import { useChange, useRead } from '../../vault/vault-queries.js';
import { WaitingNote } from '../../vault/waiting-note.js';
import { DiffView } from './diff-view.js';
import type { DraftProps } from './group-policies.js';
import { policyDiff } from './policy-diff.js';

interface PublishPanelProps extends DraftProps {
  /** That it replaces: the vault refuses it over another. */
  readonly version: number;
  readonly onEnd: () => void;
}

export function PublishPanel({ policy, rules, version, blocked, onEnd }: PublishPanelProps) {
  const publish = useChange(async (calls) => {
    const answer = await calls.call('update-signing-policy', {
      params: { policy_id: policy.id },
      body: { display_name: policy.display_name, rules, version } as never,
    });
    if (answer.ok) onEnd();
    return answer;
  });
  const params = { group_id: policy.security_group_id };
  const { data: group } = useRead('get-security-group', { params });
  const isSame = policyDiff(policy.rules, rules).length === 0;
  const isOfOther = version !== policy.version;
  return (
    <Panel title="Publish">
      <DiffView before={policy.rules} after={rules} />
      <Quiet>
        From then on it decides about every member of its group. Version {policy.version} stays
        readable.
      </Quiet>
      <WaitingNote action="manage_signing_policies" vaultIds={group && (group.vault_ids ?? [])} />
      <ConfirmedChange
        label={`Publish version ${policy.version + 1} of ${visibleText(policy.display_name)}`}
        disabledBecause={
          isOfOther
            ? `Choose above what becomes of version ${policy.version}.`
            : (blocked ?? (isSame ? 'The draft is what is in force.' : undefined))
        }
        change={publish}
      />
    </Panel>
  );
}
