/** What a refusal is, in a few words of this program: they label metrics, so nobody's text is among them. */
import type { ErrType, Refusal } from '@countersign/core/errors.js';
import { isReasonOfRules } from './signing-policy.js';

/** `rules`: signing policies said no. `frozen`: a freeze did. */
export type RefusalWord = ErrType | 'rules' | 'frozen';

export function refusalWord({
  refused,
  message,
}: Pick<Refusal, 'refused' | 'message'>): RefusalWord {
  if (refused !== 'forbidden') return refused;
  if (isReasonOfRules(message)) return 'rules';
  return /^the \w+ is frozen$/.test(message) ? 'frozen' : refused;
}
