import { describe, expect, it } from '@jest/globals';
import { refuseStale, TIMESTAMP_WINDOW_MS } from './authenticate.js';

describe('a timestamp', () => {
  const now = 1_700_000_000_000;

  it.each([0, 1, -1, 300_000, -300_000])('%i ms from now is accepted', (offset) => {
    expect(refuseStale(now + offset, now)).toBeUndefined();
  });

  it.each([300_001, -300_001, -now, Number.MAX_SAFE_INTEGER - now])(
    '%i ms from now is refused',
    (offset) => {
      expect(refuseStale(now + offset, now)).toMatchObject({ refused: 'unauthorized' });
    },
  );

  it('may be off by five minutes', () => expect(TIMESTAMP_WINDOW_MS).toBe(5 * 60 * 1000));
});
