import { describe, expect, it } from '@jest/globals';
import { deny } from '@countersign/core/denials.js';
import type pg from 'pg';
import { createRefusalRecorder } from './refusal-recorder.js';

const refused = {
  at: 1_000,
  action: 'raw-sign',
  actorId: '11111111-1111-4111-8111-111111111111',
  requestId: '22222222-2222-4222-8222-222222222222',
  refusal: deny('signing_policies', 'as a test says'),
};

type Written = readonly [chainId: string, seq: number];

/** A store with the table's primary key. `answers`: whether the caller hears of the nth write. */
function storeOf(answers: readonly boolean[]): { pool: pg.Pool; written: Written[] } {
  const written: Written[] = [];
  let count = 0;
  const query = async ({ values }: { values: [string, number[]] }) => {
    const [chainId, [seq]] = values;
    const isTaken = written.some(([id, number]) => id === chainId && number === seq);
    if (isTaken) throw Object.assign(new Error('duplicate key'), { code: '23505' });
    written.push([chainId, seq!]);
    if (answers[count++] === false) throw new Error('Query read timeout');
  };
  return { pool: { query } as unknown as pg.Pool, written };
}

describe('the recorder of refusals', () => {
  it('goes on in one chain while its writes are answered', async () => {
    const { pool, written } = storeOf([]);
    const recorder = createRefusalRecorder(pool, 'gateway-1');
    for (let n = 0; n < 3; n++) await recorder.record(refused);
    expect(written).toEqual([
      ['gateway-1', 1],
      ['gateway-1', 2],
      ['gateway-1', 3],
    ]);
  });

  it('begins another chain after a write that was not answered and took place all the same', async () => {
    const { pool, written } = storeOf([true, false, false]);
    const recorder = createRefusalRecorder(pool, 'gateway-1');
    await recorder.record(refused);
    await expect(recorder.record(refused)).rejects.toThrow('cannot be reached');
    await expect(recorder.record(refused)).rejects.toThrow('cannot be reached');
    await recorder.record(refused);
    await recorder.record(refused);
    expect(written).toEqual([
      ['gateway-1', 1],
      ['gateway-1', 2],
      ['gateway-1-2', 1],
      ['gateway-1-3', 1],
      ['gateway-1-3', 2],
    ]);
  });
});
