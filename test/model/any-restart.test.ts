/** The same log, folded in any chunks with restarts anywhere, gives the same state on every node. */
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import type { EntryRow } from '@countersign/vault/ledger/entry.js';
import { createFold, type LedgerView } from '@countersign/vault/ledger/fold.js';
import { stateHash } from '@countersign/vault/state/state-hash.js';
import { FollowedFold } from '@countersign/runtime/ledger/followed-fold.js';
import type { LedgerPin } from '@countersign/runtime/ledger/ledger-pin.js';
import { modelRules } from './dropped-rules.js';
import { run, stepsOf, useModelTime } from './explore.js';
import { createModelVault, type ModelVault } from './model-vault.js';

let vault: ModelVault;
/** Of a run with a liar: statements that count and others, requests that wait, are void, or came twice. */
let rows: readonly EntryRow[];

beforeAll(async () => {
  vault = createModelVault();
  useModelTime();
  ({ log: rows } = await run(stepsOf(1), { vault, liar: 3 }));
});
afterAll(() => {
  jest.useRealTimers();
});

/** A node that is stopped after each of these chunks where `restarts` says so. */
async function follow(chunks: readonly number[], restarts: readonly boolean[]) {
  let pinned: LedgerPin | undefined;
  let told: EntryOutcome[] = [];
  let node: FollowedFold;
  const open = () => {
    told = [];
    node = new FollowedFold({
      fold: createFold({ keys: vault.keys, rules: modelRules() }),
      genesisHash: () => vault.genesisHash,
      pinned,
      pin: async (pin) => void (pinned = pin),
      onFault: () => undefined,
      onPinTrouble: () => undefined,
    });
    node.onOutcomes((outcomes) => told.push(...outcomes));
  };
  const read = async (upTo: number) => {
    const { seq } = node.view.state;
    node.fold(rows.slice(seq, upTo));
    await node.publish();
  };
  open();
  let at = 0;
  for (const [index, size] of chunks.entries()) {
    at = Math.min(rows.length, at + size);
    await read(at);
    if (restarts[index] === true) {
      open();
      await read(at);
    }
  }
  await read(rows.length);
  return { view: node!.view, told };
}

const factsOf = ({ state, optimistic, pending, rules, acknowledged }: LedgerView) => ({
  state: stateHash(state),
  optimistic: stateHash(optimistic),
  pending: pending.map(({ seq }) => seq),
  acknowledged: [...acknowledged],
  rules,
});

it('gives the same state hash, outcomes and waiting entries', async () => {
  const whole = await follow([], []);
  expect(whole.told.filter(({ judgedBy }) => judgedBy !== undefined).length).toBeGreaterThan(8);
  const chunk = fc.integer({ min: 1, max: 9 });
  await fc.assert(
    fc.asyncProperty(fc.array(chunk), fc.array(fc.boolean()), async (chunks, restarts) => {
      const cut = await follow(chunks, restarts);
      expect(factsOf(cut.view)).toEqual(factsOf(whole.view));
      expect(cut.told.map(({ seq, at, refusal }) => [seq, at, refusal])).toEqual(
        whole.told.map(({ seq, at, refusal }) => [seq, at, refusal]),
      );
    }),
    { numRuns: 25 },
  );
});
