import { describe, expect, it } from '@jest/globals';
import type { Countersignature } from '@countersign/core/party-statements.js';
import { EMPTY_STATE, type Key, type KeyStatus } from '@countersign/vault/state/state.js';
import { requireNewParty } from './require-new-party.js';

const NOBODY = new Map();
const said = new Map([[2 as const, { party: 2 } as Countersignature]]);

function stateWith(...statuses: readonly KeyStatus[]) {
  const rows = statuses.map((status, index) => ({ id: `key-${index}`, status }) as Key);
  return {
    ...EMPTY_STATE,
    keys: {
      ...EMPTY_STATE.keys,
      rows: EMPTY_STATE.keys.rows.withMutations((keys) => {
        for (const row of rows) keys.set(row.id, row);
      }),
    },
  };
}

describe('a party without a pin file', () => {
  it('may begin where it has said nothing yet, and no key was ever made', () => {
    for (const state of [EMPTY_STATE, stateWith('generating', 'importing', 'failed')]) {
      expect(() => requireNewParty({ state, countersignatures: NOBODY }, 2)).not.toThrow();
      expect(() => requireNewParty({ state, countersignatures: said }, 1)).not.toThrow();
    }
  });

  it('may not where it has countersigned', () => {
    expect(() => requireNewParty({ state: EMPTY_STATE, countersignatures: said }, 2)).toThrow(
      'party 2 has countersigned this ledger, and its pin file is not there: run `remember` first',
    );
  });

  it.each(['active', 'disabled', 'destroyed'] as const)(
    'may not where a key is %s: all three parties made it',
    (status) => {
      const state = stateWith('failed', status);
      expect(() => requireNewParty({ state, countersignatures: NOBODY }, 3)).toThrow(
        'party 3 holds keys of this ledger',
      );
    },
  );
});
