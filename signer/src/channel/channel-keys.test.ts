import { diffieHellman, generateKeyPairSync, hkdfSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { ByteWriter } from '@countersign/core/bytes.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { replicaId, startReplica } from '@countersign/runtime/jobs/replica.js';
import { deriveMessageKey, derivePairSecret, type ExchangeKeys } from './channel-keys.js';

const pairs = new Map(
  ([1, 2, 3] as const).map((party) => [party, generateKeyPairSync('x25519')] as const),
);
const publicKeys = new Map([...pairs].map(([party, { publicKey }]) => [party, publicKey]));

function keysOf(party: PartyNumber, genesisHash = 'abcd'): ExchangeKeys {
  return { privateKey: pairs.get(party)!.privateKey, publicKeys, genesisHash };
}

const one = startReplica(1, 'a');
const two = startReplica(2, 'a');

describe('the key of messages', () => {
  it('is HKDF-SHA256 of the X25519 secret over the documented context', () => {
    const { privateKey } = keysOf(1);
    const secret = diffieHellman({ privateKey, publicKey: publicKeys.get(2)! });
    const info = new ByteWriter()
      .field('countersign party channel v1')
      .field('abcd')
      .field(replicaId(one))
      .field(replicaId(two))
      .bytes();
    const expected = Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(32), info, 32));
    expect(deriveMessageKey(keysOf(1), 2, { from: one, to: two })).toEqual(expected);
  });

  it('is the same at both ends, and another for the way back', () => {
    const there = deriveMessageKey(keysOf(1), 2, { from: one, to: two });
    expect(deriveMessageKey(keysOf(2), 1, { from: one, to: two })).toEqual(there);
    expect(deriveMessageKey(keysOf(1), 2, { from: two, to: one })).not.toEqual(there);
  });

  it('is another for another vault, and for another start of either process', () => {
    const key = (genesisHash: string, from = one, to = two) =>
      deriveMessageKey(keysOf(1, genesisHash), 2, { from, to }).toString('hex');
    const keys = [
      key('abcd'),
      key('abce'),
      key('abcd', startReplica(1, 'a')),
      key('abcd', one, startReplica(2, 'a')),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('is none with a party that the genesis does not name', () => {
    const keys = { ...keysOf(1), publicKeys: new Map() };
    expect(() => deriveMessageKey(keys, 2, { from: one, to: two })).toThrow('no exchange key');
  });
});

describe('the secret of a pair', () => {
  const secret = (self: PartyNumber, peer: PartyNumber, purpose: string) =>
    derivePairSecret(keysOf(self), { self, peer }, purpose).toString('hex');

  it('is the same at both, and of no other pair or purpose', () => {
    expect(secret(1, 2, 'x')).toBe(secret(2, 1, 'x'));
    const all = [secret(1, 2, 'x'), secret(1, 3, 'x'), secret(2, 3, 'x'), secret(1, 2, 'y')];
    expect(new Set(all).size).toBe(all.length);
  });
});
