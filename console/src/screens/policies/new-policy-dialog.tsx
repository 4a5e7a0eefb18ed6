/** A new policy: with rules that most desks begin with, or with one that denies everything. */
import type { CallResult } from '@countersign/client/call-result.js';
import type { OperationCalls } from '@countersign/client/operation-calls.js';
import { useStore } from '@tanstack/react-form';
import { Link, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { Button } from '../../design/button.js';
import { Dialog } from '../../design/dialog.js';
import { useAppForm } from '../../design/form.js';
import { Badge, Quiet, Row } from '../../design/pieces.js';
import { visibleText } from '../../design/visible-text.js';
import { useKept } from '../../session/kept-input.js';
import { AskedChanges, useAskedChanges } from '../../vault/asked-changes.js';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { WaitingNote } from '../../vault/waiting-note.js';
import { useChange, useRead } from '../../vault/vault-queries.js';
import { deskRules, missingIn, NEW_POLICY, type DeskForm } from './desk-rules.js';
import { DeskRulesForm } from './desk-rules-form.js';
import { usePoliciesOf } from './group-policies.js';
import type { RuleInput } from './policy-draft.js';
import { earlierRules, placeOfNew } from './policy-place.js';
import {
  useDirectory,
  type SecurityGroup,
  type SigningPolicy,
  type Subject,
} from './policy-queries.js';
import { useUnreachable } from './use-lint.js';

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
  const [kept, keep] = useKept(`new policy of ${group.id}`, NEW_POLICY);
  const [defaultValues, setDefaults] = useState(kept);
  const form = useAppForm({
    defaultValues,
    listeners: { onChange: ({ formApi }) => keep(formApi.state.values) },
  });
  const clear = () => {
    keep(NEW_POLICY);
    setDefaults(NEW_POLICY);
    form.reset(NEW_POLICY);
  };
  const { name, beginning, desk: stated } = useStore(form.store, ({ values }) => values);
  const venueId = useVenueOf(group);
  const desk: DeskForm = { ...stated, venueId: stated.venueId || venueId };
  const directory = useDirectory([]);
  const rules = beginning === 'desk' ? deskRules(desk, idsOf(directory.groups)) : NOTHING;
  const isUsdAllowed = useIsUsdAllowed();
  const missing = beginning === 'desk' ? missingIn(desk, isUsdAllowed) : undefined;
  const policies = usePoliciesOf(group.id);
  const { asked, note } = useAskedChanges(`new policy of ${group.id}`);
  const create = useCreatePolicy({ group, policies, name: name.trim(), rules }, (answer) => {
    if (answer.ok) keep(NEW_POLICY);
    note(answer, `Policy ${name.trim()}`);
  });
  return (
    <Dialog title={`New policy for ${visibleText(group.display_name)}`} onClose={onClose}>
      <AskedChanges asked={asked} />
      {defaultValues !== NEW_POLICY && <WrittenBefore onEmpty={clear} />}
      <form.AppField name="name">
        {(field) => <field.TextField label="Name" maxLength={128} />}
      </form.AppField>
      <form.AppField name="beginning">
        {(field) => <field.ChoiceField label="Begin with" options={BEGINNINGS} />}
      </form.AppField>
      {beginning === 'desk' ? (
        <DeskRulesForm form={form} desk={desk} directory={directory} rules={rules} />
      ) : (
        <NothingAllowed />
      )}
      <Place policies={policies ?? []} rules={rules} />
      <WaitingNote action="manage_signing_policies" vaultIds={group.vault_ids ?? []} />
      <ConfirmedChange
        label={`${beginning === 'desk' ? 'Publish' : 'Make'} policy ${visibleText(name.trim())}`}
        disabledBecause={name.trim() === '' ? 'Give it a name first.' : missing}
        change={create}
      />
    </Dialog>
  );
}

function idsOf(groups: readonly Subject[]): ReadonlySet<string> {
  return new Set(groups.map(({ id }) => id));
}

function useIsUsdAllowed(): boolean {
  const { data: settings } = useRead('get-system-settings', {});
  return settings?.usd_value_conditions_enabled !== false;
}

function NothingAllowed() {
  return (
    <Quiet>
      It has one rule that denies everything, so that nothing is allowed before you have written it.
    </Quiet>
  );
}

function WrittenBefore({ onEmpty }: { readonly onEmpty: () => void }) {
  return (
    <Row>
      <Quiet>This is what you wrote before.</Quiet>
      <Button onPress={onEmpty}>Empty the form</Button>
    </Row>
  );
}

interface PlaceProps {
  readonly policies: readonly SigningPolicy[];
  readonly rules: readonly RuleInput[];
}

/** What decides before it, and what of it that leaves without effect. */
function Place({ policies, rules }: PlaceProps) {
  const place = placeOfNew(policies);
  const unreachable = useUnreachable(rules, policies.slice(0, place));
  const below = policies[place];
  return (
    <>
      {below !== undefined && (
        <Quiet>
          It goes above “{visibleText(below.display_name)}”, which denies all the rest: your device
          asks twice.
        </Quiet>
      )}
      <DecideFirst policies={policies.slice(0, place)} />
      {unreachable.map(({ index, text }) => (
        <p key={index} role="status">
          <Badge mood="warn">no effect</Badge> {visibleText(rules[index!]!.display_name)}: {text}
        </p>
      ))}
    </>
  );
}

/** Whoever writes a new rule sees which rules a request meets before it: a wider one leaves it nothing, or allows more. */
function DecideFirst({ policies }: Pick<PlaceProps, 'policies'>) {
  if (policies.length === 0) return null;
  return (
    <>
      <p>
        <Badge mood="warn">These rules decide first</Badge> What one of them matches never comes to
        the new policy, whatever it says: where it should, change that policy or delete it.
      </p>
      <ul>
        {policies.map(({ id, display_name: name, rules }) => (
          <li key={id}>
            <Link to="/policies/$policyId" params={{ policyId: id }}>
              {visibleText(name)}
            </Link>
            : {earlierRules(rules).join(', ')}
          </li>
        ))}
      </ul>
    </>
  );
}

interface WantedPolicy {
  readonly group: SecurityGroup;
  /** Of the group, in their order. */
  readonly policies: readonly SigningPolicy[] | undefined;
  readonly name: string;
  readonly rules: RuleInput[];
}

/** Once it is there, in its place, its page is where one goes on. What is made already is not made again. */
function useCreatePolicy(wanted: WantedPolicy, onAnswer: (answer: CallResult<unknown>) => void) {
  const navigate = useNavigate();
  const made = useRef<CallResult<SigningPolicy>>(undefined);
  return useChange(async (calls) => {
    const answer = made.current ?? (await createPolicy(calls, wanted));
    onAnswer(answer);
    if (!answer.ok) return answer;
    made.current = answer;
    const placed = await putInPlace(calls, wanted, answer.value.id);
    if (placed?.ok === false) return placed;
    void navigate({ to: '/policies/$policyId', params: { policyId: answer.value.id } });
    return answer;
  });
}

function createPolicy(calls: OperationCalls, { group, name, rules }: WantedPolicy) {
  return calls.call('create-signing-policy', {
    body: { display_name: name, security_group_id: group.id, rules } as never,
  });
}

/** The vault puts a new one last. */
async function putInPlace(
  calls: OperationCalls,
  { group, policies = [] }: WantedPolicy,
  policyId: string,
): Promise<CallResult<unknown> | undefined> {
  const place = placeOfNew(policies);
  if (place === policies.length) return undefined;
  const ids = policies.map(({ id }) => id).toSpliced(place, 0, policyId);
  return calls.call('order-signing-policies', {
    params: { group_id: group.id },
    body: { signing_policy_ids: ids },
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
