/** What a change of a right is, fact by fact, before it is signed. */
import { Quiet } from '../../design/pieces.js';
import { visibleText } from '../../design/visible-text.js';
import type { FactChange } from './right-words.js';
import styles from './rights.module.css';

export function RightChanges({ changes }: { readonly changes: readonly FactChange[] }) {
  if (changes.length === 0) return <Quiet>Nothing differs.</Quiet>;
  return (
    // reached by keyboard, since it may scroll
    <div className={styles.scroll} role="region" aria-label="What changes" tabIndex={0}>
      <dl className={styles.changes}>
        {changes.map(({ field, before, after }) => (
          <FactOfChange key={field} field={field} before={before} after={after} />
        ))}
      </dl>
    </div>
  );
}

function FactOfChange({
  field,
  before,
  after,
}: Omit<FactChange, 'before'> & { readonly before: string | undefined }) {
  return (
    <>
      <dt>{field}</dt>
      <dd>
        {before !== undefined && <div className={styles.before}>was {visibleText(before)}</div>}
        <div className={styles.after}>
          {before === undefined ? '' : 'is '}
          {visibleText(after)}
        </div>
      </dd>
    </>
  );
}
