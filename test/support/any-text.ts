/** Any text at all, for properties that must hold whatever a stranger writes. */
import fc from 'fast-check';

const SURROGATES_FROM = 0xd800;
const SURROGATES = 0x800;
const CODE_POINTS = 0x110000;

/**
 * Any code point but the halves of surrogate pairs: what `unit: 'binary'` draws. That one keeps a table of all
 * 1,112,064 characters, and fills it anew in every test file; this one computes both directions.
 */
export const anyCharacter = fc.integer({ min: 0, max: CODE_POINTS - SURROGATES - 1 }).map(
  (index) => String.fromCodePoint(index < SURROGATES_FROM ? index : index + SURROGATES),
  (character) => {
    const [one, ...others] = typeof character === 'string' ? Array.from(character) : [];
    const code = one?.codePointAt(0);
    if (code === undefined || others.length > 0) throw new TypeError('not one character');
    if (code < SURROGATES_FROM) return code;
    if (code < SURROGATES_FROM + SURROGATES) throw new TypeError('half a surrogate pair');
    return code - SURROGATES;
  },
);

export const anyText = (maxLength?: number): fc.Arbitrary<string> =>
  fc.string({ unit: anyCharacter, ...(maxLength !== undefined && { maxLength }) });
