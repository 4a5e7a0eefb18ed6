import * as s from '@countersign/core/shapes.js';
import type { Condition } from './condition.js';
import { FORMS } from './condition-forms.js';
import { heldOf, untold } from './tested.js';
import { contentListOf } from './listed.js';

export const symbols = {
  ...FORMS.symbols,
  text: 'Markets or assets as the venue writes them, compared without regard to case. A rule that allows must cover all of the request; one that denies needs one. Absent: any.',
  ...contentListOf(s.string()),
  words: {
    form: 'list',
    label: 'Symbols',
    entries: 'as the venue writes them, such as BTCUSDT',
  },
  reads: ['venue_request'],
  parts: () => ['symbols'],
  test(wanted, { request: { venue } }, rule) {
    if (venue?.undecidable.includes('symbols') === true) {
      return untold("this request's symbols cannot be compared");
    }
    // a venue may take a symbol in either case
    return heldOf(venue?.symbols ?? [], rule, (symbol) =>
      wanted.some((one) => upper(one) === upper(symbol)),
    );
  },
} as const satisfies Condition<readonly string[]>;

function upper(text: string): string {
  return text.replace(/[a-z]/g, (letter) => letter.toUpperCase());
}
