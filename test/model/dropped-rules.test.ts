/**
 * The model misses each rule that it does without: nobody can weaken one unnoticed. With the rule the same steps break no
 * promise.
 */
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { PartyNumber } from '@countersign/core/parties.js';
import * as partyWord from '@countersign/vault/ledger/party-statement.js';
import type { Rules } from '@countersign/vault/ledger/judging.js';
import type { DroppedRule } from './dropped-rules.js';
import type * as scripts from './scripts.js';

type ScriptName = keyof typeof scripts;

const DROPPED: Record<DroppedRule, ScriptName> = {
  'a request is judged within its window': 'bringOldRequest',
  'a freeze is obeyed at sight': 'freezeAndSign',
  'an unfreezing waits for two parties': 'freezeUnfreezeAndSign',
  'a head is pinned before a statement': 'answerTwice',
  'a head is pinned before a signature': 'signTwiceWithRestart',
  'a node follows only what extends its head': 'signTwice',
  'a pair signs over one head': 'signApart',
  'a freeze is acknowledged once nothing older is under way': 'signWhatIsUnderWay',
  'a freeze voids every unfreezing that waits': 'freezeWhileUnfreezingWaits',
};

type Agreeing = Parameters<typeof partyWord.areAgreed>;

interface Replaced {
  readonly script: ScriptName;
  readonly module: string;
  readonly by: object;
}

const PARTY_WORD = '@countersign/vault/ledger/party-statement.js';
const GUARD_RULES = '@countersign/vault/ledger/guard-rules.js';

/** Rules of the fold that nothing it is given can drop: their functions are replaced. */
const REPLACED: Record<string, Replaced> = {
  'two clocks agree within a minute': {
    script: 'dateAhead',
    module: PARTY_WORD,
    by: { ...partyWord, areAgreed: (...[a, b]: Agreeing) => a.rules === b.rules },
  },
  'two statements name the same rules': {
    script: 'nameOtherRules',
    module: PARTY_WORD,
    by: {
      ...partyWord,
      areAgreed: (...[a, b]: Agreeing) => Math.abs(a.at - b.at) <= partyWord.AGREEMENT_MS,
    },
  },
  'a statement counts in the log that it names alone': {
    script: 'borrowWord',
    module: PARTY_WORD,
    by: { ...partyWord, refuseMisplaced: () => undefined },
  },
  'what cannot be judged is refused': {
    script: 'findFault',
    module: GUARD_RULES,
    by: { guardRules: (rules: Rules) => rules },
  },
};

async function broken(script: ScriptName, liar?: PartyNumber, dropped?: DroppedRule) {
  const { World } = await import('./model-world.js');
  const { brokenPromises } = await import('./promises.js');
  const { useModelTime } = await import('./explore.js');
  const { createModelVault } = await import('./model-vault.js');
  const all = await import('./scripts.js');
  useModelTime();
  const vault = createModelVault();
  const world = new World({ vault, liar, dropped, pick: () => 0, interruptions: 0 });
  await world.open();
  await all[script](world);
  world.close();
  return brokenPromises(world);
}

afterEach(() => {
  jest.useRealTimers();
  for (const name of [PARTY_WORD, GUARD_RULES]) jest.unstable_unmockModule(name);
});

describe('it is missed when it is dropped:', () => {
  it.each(Object.entries(DROPPED) as [DroppedRule, ScriptName][])('%s', async (rule, script) => {
    expect(await broken(script)).toEqual([]);
    expect(await broken(script, undefined, rule)).not.toEqual([]);
  });

  it.each(Object.entries(REPLACED))('%s', async (_rule, { script, module, by }) => {
    jest.resetModules();
    expect(await broken(script, 3)).toEqual([]);
    jest.resetModules();
    jest.unstable_mockModule(module, () => by);
    expect(await broken(script, 3)).not.toEqual([]);
  });
});
