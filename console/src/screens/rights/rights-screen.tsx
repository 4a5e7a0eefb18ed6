/** Administrative policies: who may do what to the vault itself, right by right. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../design/button.js';
import { Badge, Name, Panel, Quiet, Row, Screen, Unseen } from '../../design/pieces.js';
import { visibleText } from '../../design/visible-text.js';
import { Fault } from '../../vault/fault.js';
import { DeleteRightDialog, RightDialog } from './right-dialogs.js';
import { RIGHT_NAMES, RIGHTS, rightWords, type AdminPolicy, type Names } from './right-words.js';
import styles from './rights.module.css';
import { useRights } from './use-rights.js';

type Opened = 'new' | { readonly act: 'edit' | 'delete'; readonly policy: AdminPolicy };

export function RightsScreen() {
  const [opened, setOpened] = useState<Opened>();
  const rights = useRights();
  const { list, names } = rights;
  const close = () => setOpened(undefined);
  return (
    <Screen
      title="Rights"
      lead="Administrative policies: who may change the vault itself. What no policy allows is refused, and one that denies wins. What may be signed is said under Policies."
    >
      <Row>
        <Button kind="main" onPress={() => setOpened('new')}>
          New right…
        </Button>
        <Link to="/rights/desk">Rights for a desk with two officers, from a template</Link>
      </Row>
      <Fault error={list.query.error} />
      {list.query.isPending && <Quiet>Loading rights …</Quiet>}
      {list.query.isSuccess && (
        <Panel>
          {RIGHT_NAMES.map((action) => (
            <OneRight
              key={action}
              action={action}
              policies={list.rows.filter((one) => one.action === action)}
              names={names}
              onOpen={setOpened}
            />
          ))}
        </Panel>
      )}
      {list.query.hasNextPage && (
        <Button onPress={() => void list.query.fetchNextPage()}>Show more policies</Button>
      )}
      {opened === 'new' && <RightDialog rights={rights} onClose={close} />}
      {typeof opened === 'object' && opened.act === 'edit' && (
        <RightDialog rights={rights} before={opened.policy} onClose={close} />
      )}
      {typeof opened === 'object' && opened.act === 'delete' && (
        <DeleteRightDialog policy={opened.policy} names={names} onClose={close} />
      )}
    </Screen>
  );
}

interface OneRightProps {
  readonly action: AdminPolicy['action'];
  readonly policies: readonly AdminPolicy[];
  readonly names: Names;
  readonly onOpen: (opened: Opened) => void;
}

function OneRight({ action, policies, names, onOpen }: OneRightProps) {
  return (
    <section className={styles.right} aria-label={RIGHTS[action]}>
      <div>
        <h2>{RIGHTS[action]}</h2>
        <code>{action}</code>
      </div>
      {policies.length === 0 && <Quiet>Nobody may.</Quiet>}
      <ul className={styles.policies}>
        {policies.map((policy) => (
          <li key={policy.id}>
            <div>
              <strong>
                <Name text={rightWords(policy, names)} />
              </strong>{' '}
              <Badge mood={policy.effect === 'deny' ? 'bad' : 'good'}>
                {policy.effect === 'deny' ? 'denied' : 'allowed'}
              </Badge>
              <Quiet>
                <Name text={policy.display_name} />, version {policy.version}
              </Quiet>
            </div>
            <Row>
              <Button onPress={() => onOpen({ act: 'edit', policy })}>
                Edit…<Unseen> {visibleText(policy.display_name)}</Unseen>
              </Button>
              <Button onPress={() => onOpen({ act: 'delete', policy })}>
                Delete…<Unseen> {visibleText(policy.display_name)}</Unseen>
              </Button>
            </Row>
          </li>
        ))}
      </ul>
    </section>
  );
}
