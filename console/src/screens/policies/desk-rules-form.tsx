/** The rules of a desk as a few fields, and as the rules that they become: read before they are signed. */
import { Choice } from '../../design/choice.js';
import { Choices } from '../../design/choices.js';
import { Field, Panel, Quiet } from '../../design/pieces.js';
import { useRead } from '../../vault/vault-queries.js';
import type { DeskForm } from './desk-rules.js';
import styles from './policies.module.css';
import type { RuleInput } from './policy-draft.js';
import { useUsersById, type Directory } from './policy-queries.js';
import { RuleCard } from './rule-card.js';
import { SubjectsChoice } from './subjects-choice.js';

interface DeskRulesFormProps {
  readonly desk: DeskForm;
  readonly onChange: (desk: DeskForm) => void;
  readonly directory: Directory;
  /** What it becomes. */
  readonly rules: readonly RuleInput[];
}

export function DeskRulesForm(props: DeskRulesFormProps) {
  const { desk, onChange, directory, rules } = props;
  const set = (change: Partial<DeskForm>) => onChange({ ...desk, ...change });
  const users = useUsersById([...desk.traders, ...desk.approvers]);
  const named = users.map(({ id, display_name: name }) => [id, name] as const);
  const names = new Map([...directory.names, ...named]);
  return (
    <>
      <OrdersPart desk={desk} set={set} />
      <SubjectsChoice
        label="Who asks"
        groups={directory.groups}
        chosen={desk.traders}
        onChange={(traders) => set({ traders })}
      />
      <WithdrawalsPart desk={desk} set={set} directory={directory} />
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
}

interface PartProps {
  readonly desk: DeskForm;
  readonly set: (change: Partial<DeskForm>) => void;
}

function OrdersPart({ desk, set }: PartProps) {
  const { data: catalogue } = useRead('get-system-info', {});
  return (
    <>
      <Choice
        label="Venue"
        options={Object.fromEntries(
          (catalogue?.supported_venues ?? []).map(({ id, display_name: name }) => [id, name]),
        )}
        value={desk.venueId}
        onChange={(venueId) => set({ venueId })}
      />
      <Field label="Markets, as the venue writes them, after commas (none: all)">
        <input
          value={desk.symbols}
          placeholder="BTCUSDT, ETHUSDT"
          onChange={({ target }) => set({ symbols: target.value })}
        />
      </Field>
      <div className={styles.pair}>
        <Field label="US dollars an order, at most">
          <input
            inputMode="decimal"
            value={desk.orderUsd}
            onChange={({ target }) => set({ orderUsd: target.value })}
          />
        </Field>
        <Field label="US dollars in any 24 hours, together">
          <input
            inputMode="decimal"
            value={desk.dayUsd}
            onChange={({ target }) => set({ dayUsd: target.value })}
          />
        </Field>
      </div>
    </>
  );
}

function WithdrawalsPart({ desk, set, directory }: PartProps & { readonly directory: Directory }) {
  const { addressLists, groups } = directory;
  return (
    <>
      <Choices
        label="Withdrawals go to these lists of the address book (none: no withdrawals)"
        options={new Map(addressLists.map(({ id, display_name: name }) => [id, name]))}
        chosen={desk.addressLists}
        onChange={(ids) => set({ addressLists: ids })}
      >
        {addressLists.length === 0 && (
          <Quiet>
            There is no list yet. For withdrawals make one under “Address book” first: what you
            wrote here is not kept.
          </Quiet>
        )}
      </Choices>
      {desk.addressLists.length > 0 && (
        <>
          <Field label="Approvals of a withdrawal">
            <input
              type="number"
              min={1}
              max={100}
              value={desk.quorum}
              onChange={({ target }) => set({ quorum: target.value })}
            />
          </Field>
          <SubjectsChoice
            label="Who approves withdrawals"
            groups={groups}
            chosen={desk.approvers}
            onChange={(approvers) => set({ approvers })}
          />
        </>
      )}
    </>
  );
}
