/** A rule as a reader sees it. */
import type { Mood } from '../../design/mood-icon.js';
import { Badge, Name, Quiet, Row } from '../../design/pieces.js';
import { visibleText } from '../../design/visible-text.js';
import styles from './policies.module.css';
import type { RuleInput } from './policy-draft.js';
import { conditionWords, outcomeWords, type Names } from './rule-words.js';

interface RuleCardProps {
  readonly rule: RuleInput;
  readonly names: Names;
}

export function RuleCard({ rule, names }: RuleCardProps) {
  const conditions = conditionWords(rule.when, names);
  return (
    <>
      <Row>
        <strong>
          <Name text={rule.display_name} />
        </strong>
        <Badge mood={moodOf(rule.then)}>{visibleText(outcomeWords(rule.then, names))}</Badge>
        {rule.enabled === false && <Badge>off</Badge>}
      </Row>
      {conditions.length === 0 ? (
        <Quiet>Whatever is asked for.</Quiet>
      ) : (
        <ul className={styles.conditions}>
          {conditions.map((condition) => (
            <li key={condition}>{visibleText(condition)}</li>
          ))}
        </ul>
      )}
    </>
  );
}

function moodOf(then: RuleInput['then']): Mood {
  if (then === 'deny') return 'bad';
  return then === 'allow' ? 'good' : 'warn';
}
