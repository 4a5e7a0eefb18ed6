/** The rules of a desk as a few fields, and as the rules that they become: read before they are signed. */
import { Choice } from '../../design/choice.js';
import { withForm } from '../../design/form.js';
import { Badge, Panel, Quiet } from '../../design/pieces.js';
import { useRead } from '../../vault/vault-queries.js';
import { AddressListsChoice } from './address-lists-choice.js';
import { NEW_POLICY, type DeskForm } from './desk-rules.js';
import styles from './policies.module.css';
import type { RuleInput } from './policy-draft.js';
import { useActiveAmong, useUsersById, type Directory } from './policy-queries.js';
import { RuleCard } from './rule-card.js';
import { SubjectsChoice } from './subjects-choice.js';

interface DeskRulesFormProps {
  readonly desk: DeskForm;
  readonly directory: Directory;
  /** What it becomes. */
  readonly rules: readonly RuleInput[];
}

export const DeskRulesForm = withForm({
  defaultValues: NEW_POLICY,
  props: {} as DeskRulesFormProps,
  render: function DeskRulesForm({ form, desk, directory, rules }) {
    const users = useUsersById([...desk.traders, ...desk.approvers]);
    const named = users.map(({ id, display_name: name }) => [id, name] as const);
    const names = new Map([...directory.names, ...named]);
    return (
      <>
        <OrdersPart form={form} desk={desk} />
        <form.AppField name="desk.traders">
          {({ state, handleChange }) => (
            <SubjectsChoice
              label="Who asks"
              groups={directory.groups}
              chosen={state.value}
              onChange={handleChange}
            />
          )}
        </form.AppField>
        <WithdrawalsPart form={form} desk={desk} directory={directory} />
        <Panel title="The rules that you sign">
          <ol className={styles.conditions}>
            {rules.map((rule) => (
              <li key={rule.display_name}>
                <RuleCard rule={rule} names={names} />
              </li>
            ))}
          </ol>
          <Quiet>The first rule that fits decides. What none of them allows is denied.</Quiet>
        </Panel>
      </>
    );
  },
});

const OrdersPart = withForm({
  defaultValues: NEW_POLICY,
  props: {} as Pick<DeskRulesFormProps, 'desk'>,
  render: function OrdersPart({ form: { AppField }, desk }) {
    const { data: catalogue } = useRead('get-system-info', {});
    const venues = catalogue?.supported_venues ?? [];
    return (
      <>
        <AppField name="desk.venueId">
          {({ handleChange }) => (
            <Choice
              label="Venue"
              options={Object.fromEntries(venues.map(({ id, display_name: name }) => [id, name]))}
              value={desk.venueId}
              onChange={handleChange}
            />
          )}
        </AppField>
        <AppField name="desk.symbols">
          {(field) => (
            <field.TextField
              label="Markets as the venue writes them, separated by commas (none: all)"
              placeholder="BTCUSDT, ETHUSDT"
            />
          )}
        </AppField>
        <div className={styles.pair}>
          <AppField name="desk.orderUsd">
            {(field) => (
              <field.TextField label="US dollars an order, at most" inputMode="decimal" />
            )}
          </AppField>
          <AppField name="desk.dayUsd">
            {(field) => (
              <field.TextField label="US dollars in any 24 hours, together" inputMode="decimal" />
            )}
          </AppField>
        </div>
      </>
    );
  },
});

const WithdrawalsPart = withForm({
  defaultValues: NEW_POLICY,
  props: {} as Pick<DeskRulesFormProps, 'desk' | 'directory'>,
  render: ({ form: { AppField }, desk, directory: { addressLists, groups } }) => (
    <>
      <AppField name="desk.addressLists">
        {({ state, handleChange }) => (
          <AddressListsChoice
            label="Withdrawals go to these lists of the address book (none: no withdrawals)"
            addressLists={addressLists}
            chosen={state.value}
            onChange={handleChange}
          />
        )}
      </AppField>
      {desk.addressLists.length > 0 && (
        <>
          <AppField name="desk.quorum">
            {(field) => (
              <field.TextField label="Approvals of a withdrawal" type="number" min={1} max={100} />
            )}
          </AppField>
          <AppField name="desk.approvers">
            {({ state, handleChange }) => (
              <SubjectsChoice
                label="Who approves withdrawals"
                groups={groups}
                chosen={state.value}
                onChange={handleChange}
              />
            )}
          </AppField>
          <TooFew desk={desk} groups={groups} />
        </>
      )}
    </>
  ),
});

/** A quorum that nobody can reach is found out when the first withdrawal waits for it. */
function TooFew({
  desk: { approvers, quorum },
  groups,
}: Pick<DeskRulesFormProps, 'desk'> & Pick<Directory, 'groups'>) {
  const groupIds = new Set(groups.map(({ id }) => id));
  const active = useActiveAmong(
    approvers.filter((id) => !groupIds.has(id)),
    approvers.filter((id) => groupIds.has(id)),
  );
  if (approvers.length === 0 || active === undefined || active >= Number(quorum)) return null;
  return (
    <p role="status">
      <Badge mood="warn">too few</Badge> Of those chosen {active} can approve now, and a withdrawal
      needs {quorum}: until others join, none is signed.
    </p>
  );
}
