/** The rights of a whole desk from a template: shown beside what is in force, then written one after the other. */
import { useState } from 'react';
import { Choice } from '../../design/choice.js';
import { DataTable, type Column } from '../../design/data-table.js';
import { Badge, Name, Panel, Quiet, Screen } from '../../design/pieces.js';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { Fault } from '../../vault/fault.js';
import { useChange, useRows } from '../../vault/vault-queries.js';
import type { Subject } from '../policies/policy-queries.js';
import {
  deskRights,
  isThere,
  rightsBeside,
  type DeskGroups,
  type DeskRight,
} from './desk-template.js';
import { RIGHTS, rightWords, type AdminPolicy, type Names } from './right-words.js';
import styles from './rights.module.css';
import { useRights, type Rights } from './use-rights.js';

/** Somebody may enrol, or join the group, while this page is looked at. */
const LOOK_MS = 5_000;

export function DeskScreen() {
  const rights = useRights();
  const [officers, setOfficers] = useState('');
  const [auditors, setAuditors] = useState('');
  const areChosen = officers !== '' && auditors !== '' && officers !== auditors;
  return (
    <Screen
      title="Rights for a desk"
      lead="For a desk with bots, two officers and an auditor: sixteen policies, one for each right. Officers run the desk; what could take it from them needs a second officer. Auditors look, and may freeze. Bots have none of these rights: signing policies say what they sign."
    >
      <Panel title="Who is who">
        <GroupChoice
          label="Officers"
          groups={rights.groups}
          chosen={officers}
          onChoose={setOfficers}
        />
        <GroupChoice
          label="Auditors"
          groups={rights.groups}
          chosen={auditors}
          onChoose={setAuditors}
        />
        <Quiet>Groups and their members are made under Users.</Quiet>
      </Panel>
      <Fault error={rights.list.query.error} />
      {areChosen && rights.list.query.isSuccess && (
        <DeskChanges rights={rights} groups={{ officers, auditors }} />
      )}
    </Screen>
  );
}

interface GroupChoiceProps {
  readonly label: string;
  readonly groups: readonly Subject[];
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}

function GroupChoice({ label, groups, chosen, onChoose }: GroupChoiceProps) {
  return (
    <Choice
      label={`${label}: which group`}
      options={Object.fromEntries(groups.map(({ id, display_name: name }) => [id, name]))}
      value={chosen}
      onChange={onChoose}
    />
  );
}

interface DeskRow {
  readonly right: DeskRight;
  readonly now: readonly string[];
  readonly isThere: boolean;
}

function DeskChanges({ rights, groups }: { readonly rights: Rights; readonly groups: DeskGroups }) {
  const { rows: policies, query } = rights.list;
  const officers = useRows(
    'list-users',
    { query: { is_in_groups: groups.officers, limit: '100' } },
    { everyMs: LOOK_MS },
  );
  const all = deskRights(groups);
  const rows = all.map((right): DeskRow => ({
    right,
    now: policies
      .filter(({ action }) => action === right.action)
      .map((policy) => rightWords(policy, rights.names)),
    isThere: isThere(right, policies),
  }));
  const missing = rows.filter((row) => !row.isThere).map(({ right }) => right);
  const active = officers.rows.filter(({ status }) => status === 'active').length;
  return (
    <>
      <Panel title="What changes">
        <DataTable
          caption="Rights now, and what is added"
          columns={columnsWith(rights.names)}
          rows={rows}
          idOf={({ right }) => right.action}
        />
        <WriteRights
          missing={missing}
          disabledBecause={
            query.hasNextPage
              ? 'There are more policies than this page has read.'
              : obstacle(active, officers.query.isSuccess)
          }
        />
      </Panel>
      <Beside rights={rights} groups={groups} />
    </>
  );
}

function obstacle(activeOfficers: number, isKnown: boolean): string | undefined {
  if (!isKnown || activeOfficers >= 2) return undefined;
  return `The group of officers has ${activeOfficers} of the two members it needs who can sign already.`;
}

const columnsWith = (names: Names): readonly Column<DeskRow>[] => [
  {
    title: 'Right',
    isText: true,
    cell: ({ right: { action } }) => RIGHTS[action],
  },
  {
    title: 'Who may now',
    isText: true,
    cell: ({ now }) =>
      now.length === 0
        ? 'nobody'
        : now.map((text) => (
            <div key={text}>
              <Name text={text} />
            </div>
          )),
  },
  {
    title: 'Added',
    isText: true,
    cell: ({ right, isThere: isKnown }) =>
      isKnown ? (
        <Badge>in force already</Badge>
      ) : (
        <span className={styles.after}>
          + <Name text={rightWords(right, names)} />
        </span>
      ),
  },
];

interface WriteRightsProps {
  readonly missing: readonly DeskRight[];
  readonly disabledBecause: string | undefined;
}

function WriteRights({ missing, disabledBecause }: WriteRightsProps) {
  const count = missing.length;
  const write = useChange(async (calls) => {
    const [first, ...others] = missing.map(
      (body) => () => calls.call('create-admin-policy', { body }),
    );
    let answer = await first!();
    for (const next of others) {
      if (!answer.ok) return answer;
      answer = await next();
    }
    return answer;
  });
  if (count === 0) return <p role="status">All of them are in force.</p>;
  const what = count === 1 ? 'the policy that is missing' : `these ${count} policies`;
  return (
    <ConfirmedChange
      label={`Write ${what}`}
      note="Each is a request of its own, signed with your passkey: your device asks once for each. If you stop halfway, those that are written hold, and you go on here. The one about changing rights comes last."
      disabledBecause={disabledBecause}
      change={write}
    />
  );
}

/** The template takes nothing away. */
function Beside({ rights, groups }: { readonly rights: Rights; readonly groups: DeskGroups }) {
  const beside = rightsBeside(rights.list.rows, groups);
  if (beside.length === 0) return null;
  const wordsOf = (policy: AdminPolicy) => rightWords(policy, rights.names);
  const whose = new Set(beside.map(wordsOf));
  return (
    <Panel title="What stays beside it">
      <Quiet>
        The template takes nothing away. These let somebody do alone what officers do in two. Where
        an officer is among them, the approvals are asked for all the same. Delete them under Rights
        once you can do without.
      </Quiet>
      <ul>
        {[...whose].map((who) => (
          <li key={who}>
            <strong>
              <Name text={who} />
            </strong>
            :{' '}
            {beside
              .filter((policy) => wordsOf(policy) === who)
              .map(({ action }) => RIGHTS[action])
              .join('; ')}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
