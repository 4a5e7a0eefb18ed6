import { expect, it } from '@jest/globals';
import type { OperationCalls } from '@countersign/client/operation-calls.js';
import { askFreeze, STOPS, targetOf, type FreezeTarget } from './freeze-scopes.js';

/** What was called, and with what. */
function recording(): { calls: OperationCalls; seen: unknown[] } {
  const seen: unknown[] = [];
  const call = async (...given: unknown[]) => {
    seen.push(given);
    return { ok: true, status: 200, value: {} };
  };
  return { calls: { call } as unknown as OperationCalls, seen };
}

const body = { reason: 'why' };

it.each<[FreezeTarget, string, object]>([
  [{ scope: 'system', id: 'system' }, 'freeze-system', { body }],
  [{ scope: 'vault', id: 'v' }, 'freeze-vaults', { query: { vault_ids: 'v' }, body }],
  [
    { scope: 'wallet', id: 'address', vaultId: 'v' },
    'freeze-wallets',
    { params: { vault_id: 'v' }, query: { addresses: 'address' }, body },
  ],
  [{ scope: 'venue', id: 'binance' }, 'freeze-keys', { query: { venue_id: 'binance' }, body }],
  [{ scope: 'key', id: 'k' }, 'freeze-keys', { query: { key_ids: 'k' }, body }],
  [{ scope: 'user', id: 'u' }, 'freeze-users', { query: { user_ids: 'u' }, body }],
])('%j is asked for as %s', async (target, operation, input) => {
  const { calls, seen } = recording();
  await askFreeze(calls, 'freeze', target, 'why');
  await askFreeze(calls, 'unfreeze', target, '');
  expect(seen).toEqual([
    [operation, input],
    [`un${operation}`, { ...input, body: {} }],
  ]);
  expect(STOPS[target.scope]).not.toBe('');
});

it('lifts the freeze of a wallet by its vault and address, others by their ids', () => {
  const why = { at: '2026-01-01T00:00:00.000Z', by: 'u', reason: null };
  const wallet = { vault_id: 'v', address: 'a' };
  expect(targetOf({ scope: 'wallet', id: 'w', ...why, wallet })).toEqual({
    scope: 'wallet',
    id: 'a',
    vaultId: 'v',
  });
  expect(targetOf({ scope: 'key', id: 'k', ...why })).toEqual({ scope: 'key', id: 'k' });
});
