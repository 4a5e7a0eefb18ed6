/** A new policy: with rules that most desks begin with, or with one that denies everything. */
import { useStore } from '@tanstack/react-form';
import { useNavigate } from '@tanstack/react-router';
import { Dialog } from '../../design/dialog.js';
import { useAppForm } from '../../design/form.js';
import { Quiet } from '../../design/pieces.js';
import { visibleText } from '../../design/visible-text.js';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { WaitingNote } from '../../vault/waiting-note.js';
import { useChange, useRead } from '../../vault/vault-queries.js';
import { deskRules, missingIn, NEW_POLICY, type DeskForm } from './desk-rules.js';
import { DeskRulesForm } from './desk-rules-form.js';
import type { RuleInput } from './policy-draft.js';
import { useDirectory, type SecurityGroup } from './policy-queries.js';

const BEGINNINGS = {
  nothing: 'Nothing: it denies everything',
  desk: 'Trading: orders in US dollars, withdrawals after approvals',
} as const;

/** No policy may be empty, and this rule allows nothing. */
const NOTHING: RuleInput[] = [{ display_name: 'Deny everything else', when: {}, then: 'deny' }];

interface NewPolicyDialogProps {
  readonly group: SecurityGroup;
  readonly onClose: () => void;
}

export function NewPolicyDialog({ group, onClose }: NewPolicyDialogProps) {
  const form = useAppForm({ defaultValues: NEW_POLICY });
  const { name, beginning, desk: stated } = useStore(form.store, ({ values }) => values);
  const venueId = useVenueOf(group);
  const desk: DeskForm = { ...stated, venueId: stated.venueId || venueId };
  const directory = useDirectory([]);
  const groupIds = new Set(directory.groups.map(({ id }) => id));
  const rules = beginning === 'desk' ? deskRules(desk, groupIds) : NOTHING;
  const { data: settings } = useRead('get-system-settings', {});
  const isUsdAllowed = settings?.usd_value_conditions_enabled !== false;
  const missing = beginning === 'desk' ? missingIn(desk, isUsdAllowed) : undefined;
  const create = useCreatePolicy(group, name.trim(), rules);
  return (
    <Dialog title={`New policy for ${visibleText(group.display_name)}`} onClose={onClose}>
      <form.AppField name="name">
        {(field) => <field.TextField label="Name" maxLength={128} />}
      </form.AppField>
      <form.AppField name="beginning">
        {(field) => <field.ChoiceField label="Begin with" options={BEGINNINGS} />}
      </form.AppField>
      {beginning === 'desk' ? (
        <DeskRulesForm form={form} desk={desk} directory={directory} rules={rules} />
      ) : (
        <Quiet>
          It has one rule that denies everything, so that nothing is allowed before you have written
          it.
        </Quiet>
      )}
      <WaitingNote action="manage_signing_policies" vaultIds={group.vault_ids ?? []} />
      <ConfirmedChange
        label={`${beginning === 'desk' ? 'Publish' : 'Make'} policy ${visibleText(name.trim())}`}
        note="It comes last in its group: the rules of earlier policies decide first. You sign it with your passkey."
        disabledBecause={name.trim() === '' ? 'Give it a name first.' : missing}
        change={create}
      />
    </Dialog>
  );
}

/** Once it is there, its page is where one goes on. */
function useCreatePolicy(group: SecurityGroup, name: string, rules: RuleInput[]) {
  const navigate = useNavigate();
  return useChange(async (calls) => {
    const answer = await calls.call('create-signing-policy', {
      body: { display_name: name, security_group_id: group.id, rules } as never,
    });
    if (answer.ok) {
      void navigate({ to: '/policies/$policyId', params: { policyId: answer.value.id } });
    }
    return answer;
  });
}

/** Of its first key; empty: none is known. */
function useVenueOf({ members }: SecurityGroup): string {
  const first = members.find(({ member_type: type }) => type === 'key')?.member_id;
  const { data } = useRead(
    'get-key',
    { params: { key_id: first ?? '' } },
    { isWanted: first !== undefined },
  );
  return data?.venue_id ?? '';
}
