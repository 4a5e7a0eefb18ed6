/** A limit over time as the fields of a form, back, and as a sentence. */
import type { LimitWords } from '@countersign/api/conditions/condition-words.js';
import type { VelocityScope, VelocityUnit } from '@countersign/core/vocabulary.js';
import type { RuleInput } from './policy-draft.js';
import { unitOf, type NamedAssets } from './rule-units.js';

export type Limit = NonNullable<RuleInput['when']['velocity']>;

/** `count`: of `span`s. */
export interface LimitForm {
  /** Empty: no limit. */
  readonly unit: VelocityUnit | '';
  readonly most: string;
  readonly count: string;
  readonly span: SpanName;
  readonly per: VelocityScope;
}

export type SpanName = keyof typeof SPANS;

/** In seconds, the longest first. */
export const SPANS = { days: 86_400, hours: 3_600, minutes: 60, seconds: 1 } as const;

const SPAN_NAMES = Object.keys(SPANS) as SpanName[];

export const PER: Readonly<Record<VelocityScope, string>> = {
  initiator: 'each one who asks, by themselves',
  key: 'each key by itself',
  wallet: 'each wallet by itself',
  group: 'all that this rule allows, together',
};

/** What most limits are: so much a day for each bot. */
export const NO_LIMIT: LimitForm = {
  unit: '',
  most: '',
  count: '24',
  span: 'hours',
  per: 'initiator',
};

export function limitFormOf(limit: Limit | undefined): LimitForm {
  if (limit === undefined) return NO_LIMIT;
  const { limit: most, unit, window_s: windowS, per } = limit;
  return { unit, most, per, ...spanOf(windowS) };
}

/** What is wrong with it is found when the draft is checked. */
export function limitOf({ unit, most, count, span, per }: LimitForm): Limit | undefined {
  if (unit === '') return undefined;
  return { limit: most.trim(), unit, window_s: Number(count) * SPANS[span], per };
}

/** `At most 5 BTC in any 24 hours, counted for each key by itself`. */
export function limitWords(
  { limit, unit, window_s: windowS, per }: Limit,
  { units }: LimitWords,
  assets: NamedAssets,
): string {
  const { count, span } = spanOf(windowS);
  const window = count === '1' ? span.slice(0, -1) : `${count} ${span}`;
  const counted = unit === 'count' && limit === '1' ? 'request' : unitOf(units[unit], assets);
  return `at most ${limit} ${counted} in any ${window}, counted for ${PER[per]}`;
}

/** In the longest span that has it without a rest; a day is told as 24 hours, since no midnight ends it. */
function spanOf(windowS: number): Pick<LimitForm, 'count' | 'span'> {
  const fits = (name: SpanName) => windowS % SPANS[name] === 0 && windowS !== SPANS[name];
  const span = SPAN_NAMES.find(fits) ?? 'seconds';
  return { count: String(windowS / SPANS[span]), span };
}
