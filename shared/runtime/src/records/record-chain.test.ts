import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createRecordChain, recordHash, type RecordValue } from './record-chain.js';

const ZERO = Buffer.alloc(32);

describe('the hash of a record', () => {
  it('is SHA-256 over the documented bytes', () => {
    const bytes = Buffer.concat([
      Buffer.from([1]),
      Buffer.from('05000000', 'hex'),
      Buffer.from('chain'),
      Buffer.from('0700000000000000', 'hex'),
      ZERO,
      Buffer.from([1]),
      Buffer.from('2a00000000000000', 'hex'),
      Buffer.from([0]),
      Buffer.from([1]),
      Buffer.from('02000000', 'hex'),
      Buffer.from('hi'),
    ]);
    const expected = createHash('sha256').update(bytes).digest();
    expect(recordHash('chain', 7, ZERO, [42, null, 'hi'])).toEqual(expected);
  });

  it('differs for any other chain, place, predecessor or field', () => {
    const fields: RecordValue[] = ['a', 'b', null];
    const others = [
      recordHash('chain 2', 1, ZERO, fields),
      recordHash('chain', 2, ZERO, fields),
      recordHash('chain', 1, Buffer.alloc(32, 1), fields),
      recordHash('chain', 1, ZERO, ['ab', '', null]),
      recordHash('chain', 1, ZERO, ['a', 'b', '']),
      recordHash('chain', 1, ZERO, ['a', null, 'b']),
      recordHash('chain', 1, ZERO, ['a', 'b', null, null]),
      recordHash('chain', 1, ZERO, ['a', 'b']),
    ].map((hash) => hash.toString('hex'));
    const hash = recordHash('chain', 1, ZERO, fields).toString('hex');
    expect(new Set([hash, ...others]).size).toBe(others.length + 1);
  });
});

describe('a chain of records', () => {
  it('begins at zero and names each predecessor, across commits', () => {
    const chain = createRecordChain('chain');
    const first = chain.link([['a'], ['b']]);
    chain.commit(first);
    const second = chain.link([['c']]);
    const links = [...first, ...second];
    expect(links.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(links[0]!.prevHash).toEqual(ZERO);
    expect(links[1]!.prevHash).toEqual(links[0]!.hash);
    expect(links[2]!.prevHash).toEqual(links[1]!.hash);
    expect(links[2]!.hash).toEqual(recordHash('chain', 3, links[1]!.hash, ['c']));
  });

  it('has no gap where records were not written after all', () => {
    const chain = createRecordChain('chain');
    const failed = chain.link([['a'], ['b']]);
    const again = chain.link([['b']]);
    expect(failed).toHaveLength(2);
    expect(again[0]).toMatchObject({ seq: 1, prevHash: ZERO });
    chain.commit([]);
    chain.commit(again);
    expect(chain.link([['c']])[0]).toMatchObject({ seq: 2, prevHash: again[0]!.hash });
  });
});
