import { describe, expect, it } from '@jest/globals';
import type { VaultState } from '@countersign/vault/state/state.js';
import { requireOwnIdentity } from './own-identity.js';

const key = (fill: number) => Buffer.alloc(32, fill);
const genesis = {
  formerParties: [
    { party: 2, identityPublicKey: key(8).toString('base64'), until: 9, replacedAt: 0 },
  ],
  parties: [1, 2].map((party) => ({ party, identityPublicKey: key(party).toString('base64') })),
} as unknown as VaultState;

describe('the identity in the key folder', () => {
  it('is the one that the genesis names for the party', () => {
    expect(() => requireOwnIdentity(genesis, 2, Uint8Array.from(key(2)))).not.toThrow();
  });

  it.each([
    ["is another party's", 2, 1],
    ['is in no genesis', 2, 9],
    ['is of a party that the genesis does not know', 3, 3],
  ] as const)('is refused when it %s', (_, party, fill) => {
    expect(() => requireOwnIdentity(genesis, party, key(fill))).toThrow(
      `KEY_DIR does not hold the identity of party ${party} in the ledger`,
    );
  });

  it('says of the keys that a party had that another host has its place', () => {
    expect(() => requireOwnIdentity(genesis, 2, key(8))).toThrow('party 2 was replaced');
  });
});
