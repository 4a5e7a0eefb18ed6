import { describe, expect, it } from '@jest/globals';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { createNotedOutcomes } from './noted-outcomes.js';

const freeze = (seq: number, refusal?: object) =>
  ({ seq, operation: { action: 'freeze' }, refusal }) as unknown as EntryOutcome;

const anchor = (party: number, chainId: string, seq: number) =>
  ({
    actorId: `party_${party}`,
    anchored: [{ chainId, seq, hash: Buffer.alloc(32, seq) }],
  }) as unknown as EntryOutcome;

const OUTCOMES = [
  freeze(3),
  anchor(1, 'a', 7),
  anchor(2, 'a', 9),
  freeze(5),
  freeze(6, { refused: 'forbidden' }),
  anchor(1, 'b', 2),
  anchor(1, 'a', 8),
];

describe('what a party keeps in mind of the ledger', () => {
  it('is its newest freeze, and where its own chains of records were anchored', () => {
    const noted = createNotedOutcomes(1);
    expect([noted.newestFreeze, noted.anchored.size]).toEqual([0, 0]);
    noted.note(OUTCOMES);
    expect(noted.newestFreeze).toBe(5);
    expect([...noted.anchored.values()].map(({ chainId, seq }) => [chainId, seq])).toEqual([
      ['a', 8],
      ['b', 2],
    ]);
  });

  it('is the same for the process that reads what was saved, and goes on from there', () => {
    const [noted, next] = [createNotedOutcomes(1), createNotedOutcomes(1)];
    noted.note(OUTCOMES.slice(0, 4));
    const take = next.load(JSON.parse(JSON.stringify([...noted.save()])) as unknown[]);
    expect(next.newestFreeze).toBe(0);
    take();
    for (const one of [noted, next]) one.note(OUTCOMES.slice(4));
    expect(next.newestFreeze).toBe(noted.newestFreeze);
    expect(next.anchored).toEqual(noted.anchored);
  });

  it.each([[[]], [[{}]], [[{ newest_freeze: -1, anchored: [] }]], [[{ newest_freeze: 1 }]]])(
    'is not read from what was saved otherwise: %j',
    (saved) => {
      expect(() => createNotedOutcomes(1).load(saved)).toThrow();
    },
  );
});
