import { expect, it } from '@jest/globals';
import { foldInTurns } from '@countersign/runtime/ledger/fold-in-turns.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { findRowChanges } from '@countersign/vault/audit/row-changes.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import { stateHash } from '@countersign/vault/state/state-hash.js';
import { createLedgerBuilder } from '../support/ledger-builder.ts';

it('a ledger comes to the same in turns, and others are served between them', async () => {
  const ledger = createLedgerBuilder();
  for (let index = 0; index < 25; index += 1) {
    ledger.must(ledger.admin, 'POST', '/v1/vaults', { display_name: `vault ${index}` });
  }
  const fold = createFold({ keys: ledger.keys, findChanges: findRowChanges });
  const outcomes: EntryOutcome[] = [];
  const order: string[] = [];
  setImmediate(() => order.push('served'));
  await foldInTurns(ledger.rows, (rows) => {
    order.push(`folded ${rows.length}`);
    outcomes.push(...fold.advance(rows));
  });
  expect(outcomes).toEqual(ledger.outcomes);
  expect(stateHash(fold.view.state)).toBe(stateHash(ledger.state));
  expect(order.slice(0, 3)).toEqual(['folded 20', 'served', 'folded 20']);
});
