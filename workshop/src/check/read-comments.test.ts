import { describe, expect, it } from '@jest/globals';
import { measureProse } from './measure-prose.js';
import { commentsIn } from './read-comments.js';

const SOURCE = `
/** The gateway asks {@link someone}. It waits. */
const text = 'No comment stands here.';
/**
 * A party signs what it has
 * checked.
 *
 * @param key of the wallet, as hex
 */
function sign() {} // beside code: no line of its own
  // two lines make
  // one sentence
`;

describe('the comments of a source', () => {
  it('are paragraphs without their margins', () => {
    expect(commentsIn(SOURCE).split('\n\n')).toEqual([
      'The gateway asks `someone`. It waits.',
      'A party signs what it has\nchecked.',
      '@param key of the wallet, as hex',
      'two lines make\none sentence',
    ]);
  });

  it('are measured as sentences of a page', () => {
    const { sentences, mean } = measureProse(commentsIn(SOURCE));
    expect(sentences).toBe(4);
    expect(mean).toBeCloseTo((4 + 7 + 7 + 5) / 4);
  });
});
