import { describe, expect, it } from '@jest/globals';
import type { PartyNumber } from '@countersign/core/parties.js';
import { isObeyed, SILENT_AFTER_MS } from './obeyed-freeze.js';

const FREEZE = 7;
const obeyed = (acknowledged: readonly (readonly [PartyNumber, number])[], ageMs: number) =>
  isObeyed({ acknowledged: new Map(acknowledged) }, FREEZE, ageMs);

describe('a freeze is obeyed', () => {
  it('at once when all three parties have said so, of it or of what came after it', () => {
    expect(
      obeyed(
        [
          [1, 7],
          [2, 8],
          [3, 2 ** 40],
        ],
        0,
      ),
    ).toBe(true);
  });

  it.each([
    [1, 2],
    [1, 3],
    [2, 3],
  ] as const)('by parties %i and %i alone once the third was silent for long', (one, two) => {
    const both = [
      [one, 7],
      [two, 7],
    ] as const;
    for (const ageMs of [-1, 0, SILENT_AFTER_MS - 1]) expect(obeyed(both, ageMs)).toBe(false);
    expect(obeyed(both, SILENT_AFTER_MS)).toBe(true);
  });

  it('not by one whose word is about what came before it', () => {
    const third = [3, 7] as const;
    expect(obeyed([[1, 7], [2, 6], third], 0)).toBe(false);
    expect(obeyed([[1, 6], [2, 6], third], 1e9)).toBe(false);
  });

  it('never by fewer than two, however long it is: two that were cut off could be a pair', () => {
    expect(obeyed([], 1e9)).toBe(false);
    for (const party of [1, 2, 3] as const) expect(obeyed([[party, 7]], 1e9)).toBe(false);
  });
});
