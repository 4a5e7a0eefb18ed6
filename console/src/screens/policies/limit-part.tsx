/** How much a rule may allow in a span of time, with the sentence that it means. */
import type { LimitWords } from '@countersign/api/conditions/condition-words.js';
import type { VelocityUnit } from '@countersign/core/vocabulary.js';
import { Choice } from '../../design/choice.js';
import { Field, Quiet } from '../../design/pieces.js';
import { visibleText } from '../../design/visible-text.js';
import { limitOf, limitWords, PER, SPANS, type LimitForm, type SpanName } from './limit-form.js';
import styles from './policies.module.css';
import type { NamedAssets } from './rule-units.js';

interface LimitPartProps {
  readonly limit: LimitForm;
  readonly words: LimitWords;
  readonly assets: NamedAssets;
  readonly onChange: (limit: LimitForm) => void;
}

const UNITS: Readonly<Record<VelocityUnit | '', string>> = {
  '': 'Nothing: no limit',
  count: 'Requests',
  amount: 'Amounts',
  quote_amount: 'Amounts of orders that state what they cost',
  usd: 'Worth in US dollars (needs prices)',
};

export function LimitPart({ limit, words, assets, onChange }: LimitPartProps) {
  const set = (change: Partial<LimitForm>) => onChange({ ...limit, ...change });
  return (
    <fieldset className={styles.limits}>
      <legend>Limit over time</legend>
      <Choice
        label="What is counted"
        options={UNITS}
        value={limit.unit}
        onChange={(unit) => set({ unit })}
      />
      {limit.unit !== '' && (
        <>
          <LimitNumbers limit={limit} set={set} />
          <LimitSentence limit={limit} words={words} assets={assets} />
        </>
      )}
    </fieldset>
  );
}

interface LimitNumbersProps {
  readonly limit: LimitForm;
  readonly set: (change: Partial<LimitForm>) => void;
}

const SPAN_WORDS = Object.fromEntries(Object.keys(SPANS).map((span) => [span, span])) as Record<
  SpanName,
  SpanName
>;

function LimitNumbers({ limit, set }: LimitNumbersProps) {
  return (
    <>
      <div className={styles.limit}>
        <Field label="At most">
          <input
            inputMode="decimal"
            value={limit.most}
            onChange={({ target }) => set({ most: target.value })}
          />
        </Field>
        <Field label="In any">
          <input
            type="number"
            min={1}
            value={limit.count}
            onChange={({ target }) => set({ count: target.value })}
          />
        </Field>
        <Choice
          label="Unit of time"
          options={SPAN_WORDS}
          value={limit.span}
          onChange={(span) => set({ span })}
        />
      </div>
      <Choice
        label="Counted for"
        options={PER}
        value={limit.per}
        onChange={(per) => set({ per })}
      />
    </>
  );
}

/** Nothing is said before there are numbers. */
function LimitSentence({ limit, words, assets }: Omit<LimitPartProps, 'onChange'>) {
  const stated = limitOf(limit);
  if (stated === undefined || stated.limit === '' || !(stated.window_s >= 1)) return null;
  return (
    <p role="status">
      <strong>That is: {visibleText(limitWords(stated, words, assets))}.</strong>{' '}
      <Quiet>
        The span slides: no hour or day begins anew. A request beyond the limit falls through to the
        next rule that fits, and is denied where none does.
      </Quiet>
    </p>
  );
}
