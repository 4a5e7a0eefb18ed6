/**
 * The model misses each rule that it does without: nobody can weaken one unnoticed. A seed that is known to show it is
 * tried alone; `npm run test:slow` looks for one anew.
 */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { PartyNumber } from '@countersign/core/parties.js';
import * as partyWord from '@countersign/vault/ledger/party-word.js';
import type { DroppedRule } from './dropped-rules.js';

interface Known {
  readonly seed: number;
  readonly liar?: PartyNumber;
  /** Moves that fork the log. */
  readonly forks?: boolean;
}

const SEARCH = Number(process.env['MODEL_SEARCH'] ?? 0);

const DROPPED: Record<DroppedRule, Known> = {
  'a request is judged within its window': { seed: 1 },
  'a freeze is obeyed at sight': { seed: 0 },
  'an unfreezing waits for two parties': { seed: 185 },
  'a head is pinned before a word': { seed: 0, forks: true },
  'a head is pinned before a signature': { seed: 0, forks: true },
  'a node follows only what extends its head': { seed: 0, forks: true },
  'a pair signs over one head': { seed: 0, forks: true },
  'a freeze is acknowledged once nothing older is under way': { seed: 0 },
};

type Agreeing = Parameters<typeof partyWord.areAgreed>;

/** Rules of the fold that nothing it is given can drop: their functions are replaced. */
const REPLACED = {
  'two clocks agree within a minute': {
    known: { seed: 0, liar: 3 },
    areAgreed: (...[a, b]: Agreeing) => a.rules === b.rules,
  },
  'two words name the same rules': {
    known: { seed: 0, liar: 3 },
    areAgreed: (...[a, b]: Agreeing) => Math.abs(a.at - b.at) <= partyWord.AGREEMENT_MS,
  },
  'a word counts in the log that it names alone': {
    known: { seed: 0, liar: 3, forks: true },
    refuseMisplaced: () => undefined,
  },
} satisfies Record<string, { known: Known } & Partial<typeof partyWord>>;

/** Whether the run of the seed breaks a promise; where one is looked for, the first of many. */
async function isMissed({ seed, liar, forks }: Known, dropped?: DroppedRule): Promise<boolean> {
  const { findFault, seedsFrom, useModelTime } = await import('./explore.js');
  const { createModelVault } = await import('./model-vault.js');
  const { FORKING_MOVES } = await import('./moves.js');
  useModelTime();
  const moves = forks === true ? { moves: FORKING_MOVES } : {};
  const seeds = SEARCH > 0 ? seedsFrom(1, SEARCH) : [seed];
  const found = await findFault(seeds, { vault: createModelVault(), liar, dropped, ...moves });
  if (SEARCH > 0) process.stdout.write(`${expect.getState().currentTestName}: seed ${found}\n`);
  return found !== undefined;
}

beforeEach(() => {
  jest.resetModules();
});
afterEach(() => {
  jest.useRealTimers();
  jest.unstable_unmockModule('@countersign/vault/ledger/party-word.js');
});

describe('it is missed when it is dropped:', () => {
  it.each(Object.entries(DROPPED) as [DroppedRule, Known][])('%s', async (rule, known) => {
    expect(await isMissed(known, rule)).toBe(true);
  });

  it.each(Object.entries(REPLACED))('%s', async (_rule, { known, ...replaced }) => {
    jest.unstable_mockModule('@countersign/vault/ledger/party-word.js', () => ({
      ...partyWord,
      ...replaced,
    }));
    expect(await isMissed(known)).toBe(true);
  });
});
