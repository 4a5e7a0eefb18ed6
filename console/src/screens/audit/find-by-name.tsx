/** Whom and what the filters are about: found by a name, and taken out again by it. */
import { useState, type ReactNode } from 'react';
import { API_OPERATIONS } from '@countersign/api/operations/api-operations.js';
import { Button } from '../../design/button.js';
import { Choice } from '../../design/choice.js';
import { Quiet, Row, Unseen } from '../../design/pieces.js';
import { SearchChoice } from '../../design/search-choice.js';
import { visibleText } from '../../design/visible-text.js';
import { KeyName, UserName, VaultName } from '../../vault/names.js';
import { TargetChoice } from '../freezes/target-choice.js';
import {
  LIST_FILTERS,
  withoutWord,
  withWord,
  wordsIn,
  type AuditFilters,
  type ListFilter,
} from './audit-filters.js';

interface FindByNameProps {
  readonly form: AuditFilters;
  readonly choose: (change: Partial<AuditFilters>) => void;
}

const KINDS: Readonly<Record<ListFilter, string>> = {
  user_ids: 'A bot or person',
  key_ids: 'A key',
  wallet_addresses: 'A wallet',
  vault_ids: 'A vault',
  actions: 'What was done',
};

const SCOPES = {
  user_ids: 'user',
  key_ids: 'key',
  wallet_addresses: 'wallet',
  vault_ids: 'vault',
} as const;

export function FindByName({ form, choose }: FindByNameProps) {
  const [kind, setKind] = useState<ListFilter>();
  // what was taken out can be chosen again
  const [takenOut, setTakenOut] = useState(0);
  const takeOut = (change: Partial<AuditFilters>) => {
    setTakenOut(takenOut + 1);
    choose(change);
  };
  const add = (word: string | undefined) => {
    if (kind !== undefined && word !== undefined) choose(withWord(form, kind, word));
  };
  return (
    <>
      <Row>
        <Choice label="Find by name" options={KINDS} value={kind} onChange={setKind} />
        {kind === 'actions' && <ActionChoice key={takenOut} onChoose={add} />}
        {kind !== undefined && kind !== 'actions' && (
          <TargetChoice
            key={`${kind} ${takenOut}`}
            scope={SCOPES[kind]}
            onChoose={(target) => add(target?.id)}
          />
        )}
      </Row>
      <Chosen form={form} choose={takeOut} />
    </>
  );
}

/** `create user` for `create-user`. */
const wordsOfAction = (action: string): string => action.replaceAll('-', ' ');

/** Reads among them: they stand in the log where they were refused. */
const ACTIONS: readonly string[] = Object.keys(API_OPERATIONS).toSorted();

function ActionChoice({ onChoose }: { readonly onChoose: (action: string | undefined) => void }) {
  const [chosen, setChosen] = useState<string>();
  return (
    <SearchChoice
      label="Which action"
      options={Object.fromEntries(ACTIONS.map((action) => [action, wordsOfAction(action)]))}
      value={chosen}
      onChange={(action) => {
        setChosen(action);
        onChoose(action);
      }}
      empty="There is no such action."
    />
  );
}

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** As its owner calls it; what is no id, or not one yet, stands there as it is. */
function Called({ name, word }: { readonly name: ListFilter; readonly word: string }) {
  if (name === 'actions') return visibleText(wordsOfAction(word));
  return (
    <>
      {SCOPES[name]} {ID.test(word) ? NAMED[name](word) : <code>{visibleText(word)}</code>}
    </>
  );
}

const NAMED: Readonly<Record<keyof typeof SCOPES, (id: string) => ReactNode>> = {
  user_ids: (id) => <UserName id={id} />,
  key_ids: (id) => <KeyName id={id} />,
  vault_ids: (id) => <VaultName id={id} />,
  wallet_addresses: (id) => id,
};

function Chosen({ form, choose }: FindByNameProps) {
  const { request_id: requestId } = form;
  const chosen = LIST_FILTERS.flatMap((name) =>
    wordsIn(form[name]).map((word) => [name, word] as const),
  );
  if (chosen.length === 0 && requestId === '') return null;
  return (
    <>
      <Quiet>These filters are about:</Quiet>
      <Row>
        {chosen.map(([name, word]) => (
          <TakeOut key={`${name} ${word}`} onPress={() => choose(withoutWord(form, name, word))}>
            <Called name={name} word={word} />
          </TakeOut>
        ))}
        {requestId !== '' && (
          <TakeOut onPress={() => choose({ request_id: '' })}>
            request <code>{visibleText(requestId)}</code>
          </TakeOut>
        )}
      </Row>
    </>
  );
}

interface TakeOutProps {
  readonly children: ReactNode;
  readonly onPress: () => void;
}

function TakeOut({ children, onPress }: TakeOutProps) {
  return (
    <Button onPress={onPress}>
      <Unseen>Take out </Unseen>
      {children} <span aria-hidden="true">✕</span>
    </Button>
  );
}
