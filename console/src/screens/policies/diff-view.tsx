/** What a change of a policy is, in the words of its fields. */
import { Badge, Name, Quiet, Row } from '../../design/pieces.js';
import { visibleText } from '../../design/visible-text.js';
import styles from './policies.module.css';
import { policyDiff, type FieldChange, type RuleChange } from './policy-diff.js';
import type { RuleInput } from './policy-draft.js';

interface DiffViewProps {
  readonly before: readonly RuleInput[];
  readonly after: readonly RuleInput[];
}

export function DiffView({ before, after }: DiffViewProps) {
  const changes = policyDiff(before, after);
  if (changes.length === 0) return <Quiet>Nothing differs.</Quiet>;
  return (
    <div>
      {changes.map((change) => (
        <RuleDifference key={`${change.from} ${change.to}`} change={change} />
      ))}
    </div>
  );
}

function RuleDifference({ change }: { readonly change: RuleChange }) {
  const { kind, name, from, to, isMoved, fields } = change;
  return (
    <div className={styles.change}>
      <Row>
        <strong>
          <Name text={name} />
        </strong>
        {kind === 'added' && <Badge mood="good">new, number {to}</Badge>}
        {kind === 'removed' && <Badge mood="bad">removed, was number {from}</Badge>}
        {isMoved && (
          <Badge mood="warn">
            moved from {from} to {to}
          </Badge>
        )}
      </Row>
      {kind === 'kept' && fields.map((field) => <FieldDifference key={field.field} {...field} />)}
    </div>
  );
}

function FieldDifference({ field, before, after }: FieldChange) {
  return (
    <div>
      <code>{field}</code>
      <div className={styles.before}>
        <span>was </span>
        <code>{before === undefined ? 'not stated' : visibleText(before)}</code>
      </div>
      <div className={styles.after}>
        <span>is </span>
        <code>{after === undefined ? 'not stated' : visibleText(after)}</code>
      </div>
    </div>
  );
}
