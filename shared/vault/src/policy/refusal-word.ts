/** Names a refusal for metrics. The words are this program's own, so that nobody's text gets into labels. */
import type { ErrType, Refusal } from '@countersign/core/errors.js';
import { isReasonOfRules } from './signing-policy.js';

/** `rules`: the signing policies denied it. `frozen`: a freeze did. */
export type RefusalWord = ErrType | 'rules' | 'frozen';

export function refusalWord({
  refused,
  message,
}: Pick<Refusal, 'refused' | 'message'>): RefusalWord {
  if (refused !== 'forbidden') return refused;
  if (isReasonOfRules(message)) return 'rules';
  return /^the \w+ is frozen$/.test(message) ? 'frozen' : refused;
}
