import { describe, expect, jest, test } from '@jest/globals';
import { failure, type CallResult } from '../answers/call-result.js';
import { signTogether } from './sign-together.js';

type Signed = { readonly signature: string };
type Options = { readonly waitMs?: number };
type Result = Record<string, unknown>;

const ok = (value: unknown): CallResult<never> =>
  ({ ok: true, status: 200, value }) as CallResult<never>;
const signed = (item: string, index: number): Result => ({
  item_id: `id ${index}`,
  index,
  status: 'signed',
  signature: `of ${item}`,
});
const alone = (item: string) => ok({ signature: `of ${item} alone` });

/** A vault that signs everything, or answers batches in another way. */
function vault(
  answer: (items: readonly string[]) => CallResult<unknown> = (items) =>
    ok({ results: items.map(signed) }),
) {
  const one = jest.fn(async (item: string, _options: Options) => alone(item));
  const many = jest.fn(async (items: readonly string[], _options: Options) => answer(items));
  return { one, many };
}

const ladder = (length: number) => Array.from({ length }, (_, index) => `order ${index}`);

/** As a bot of ccxt comes to it: each by some promises of its own. */
async function afterPromises<Value>(hops: number, ask: () => Promise<Value>): Promise<Value> {
  for (let hop = 0; hop < hops; hop++) await Promise.resolve();
  return ask();
}

describe('what is asked for in one turn of the event loop', () => {
  test('leaves as one request, and each asker gets their own', async () => {
    const { one, many } = vault();
    const sign = signTogether<string, Signed>({ one, many }, undefined);
    const items = ladder(20);
    const results = await Promise.all(
      items.map((item, index) => afterPromises(index, () => sign(item))),
    );
    expect(many.mock.calls.map(([asked]) => asked)).toEqual([items]);
    expect(one).not.toHaveBeenCalled();
    results.forEach((result, index) =>
      expect(result).toMatchObject({
        ok: true,
        requestId: `id ${index}`,
        value: { signature: `of order ${index}` },
      }),
    );
  });

  test('is a request as before where it is one alone', async () => {
    const { one, many } = vault();
    const sign = signTogether<string, Signed>({ one, many }, undefined);
    await expect(sign('order')).resolves.toEqual(alone('order'));
    expect(many).not.toHaveBeenCalled();
  });

  test('is at most 64 in a request, in order', async () => {
    const { one, many } = vault();
    const sign = signTogether<string, Signed>({ one, many }, undefined);
    const items = ladder(129);
    await Promise.all(items.map(sign));
    expect(many.mock.calls.map(([asked]) => asked)).toEqual([
      items.slice(0, 64),
      items.slice(64, 128),
    ]);
    expect(one.mock.calls.map(([asked]) => asked)).toEqual(['order 128']);
  });

  test('does not wait for what is under way', async () => {
    const { one } = vault();
    const many = () => new Promise<never>(() => undefined);
    const sign = signTogether<string, Signed>({ one, many }, undefined);
    void sign('first');
    void sign('second');
    await new Promise((resolve) => setImmediate(resolve));
    await expect(sign('later')).resolves.toEqual(alone('later'));
  });
});

describe('an item that is not signed', () => {
  const refused = (more: object) => (items: readonly string[]) =>
    ok({
      results: items.map((item, index) =>
        index === 1
          ? { item_id: 'id 1', index, status: 'denied', err_type: 'forbidden', ...more }
          : signed(item, index),
      ),
    });

  test('is refused to its asker, and to nobody else', async () => {
    const { one, many } = vault(refused({ err_msg: 'no rule allows it' }));
    const sign = signTogether<string, Signed>({ one, many }, undefined);
    const results = await Promise.all(ladder(3).map(sign));
    expect(results.map((result) => result.ok)).toEqual([true, false, true]);
    expect(results[1]).toEqual(failure('forbidden', 'no rule allows it', { requestId: 'id 1' }));
    expect(one).not.toHaveBeenCalled();
  });

  test('says when a limit has room again', async () => {
    const { one, many } = vault(refused({ err_msg: 'a limit', retry_after_s: 37 }));
    const sign = signTogether<string, Signed>({ one, many }, undefined);
    const results = await Promise.all(ladder(2).map(sign));
    const told = { requestId: 'id 1', retryAfterS: 37 };
    expect(results[1]).toEqual(failure('forbidden', 'a limit', told));
  });

  test('is asked for again alone where a rule wants approvals, in what is left of its time', async () => {
    const text = 'approvals are asked for by rule r of signing policy p: ask for this item alone';
    const { one, many } = vault(refused({ err_msg: text }));
    many.mockImplementationOnce(async (items) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return refused({ err_msg: text })(items);
    });
    const sign = signTogether<string, Signed>({ one, many }, 1_000);
    const results = await Promise.all(ladder(3).map(sign));
    expect(results[1]).toEqual(alone('order 1'));
    expect(one.mock.calls.map(([asked]) => asked)).toEqual(['order 1']);
    const left = one.mock.calls[0]![1].waitMs!;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(990);
  });

  test.each([
    ['forbidden', 'rule "ask for this item alone" denies'],
    ['forbidden', 'the request is not approved'],
    ['invalid_inputs', 'x: ask for this item alone'],
  ])('is not asked for again for another reason: %s, %s', async (err_type, err_msg) => {
    const { one, many } = vault(refused({ err_type, err_msg }));
    const sign = signTogether<string, Signed>({ one, many }, undefined);
    await Promise.all(ladder(3).map(sign));
    expect(one).not.toHaveBeenCalled();
  });
});

describe('a batch that is refused as a whole', () => {
  test.each(['forbidden', 'unauthorized', 'gateway_timeout', 'unreachable', 'still_processing'])(
    'is a refusal of each: %s',
    async (errType) => {
      const refusal = failure(errType, 'no', { status: 400 });
      const { one, many } = vault(() => refusal);
      const sign = signTogether<string, Signed>({ one, many }, undefined);
      await expect(Promise.all(ladder(2).map(sign))).resolves.toEqual([refusal, refusal]);
      expect(one).not.toHaveBeenCalled();
    },
  );

  test.each(['invalid_inputs', 'parse_error'])(
    'for its content is asked for one by one: %s',
    async (errType) => {
      const { one, many } = vault(() => failure(errType, 'venue_requests[1]: no'));
      const sign = signTogether<string, Signed>({ one, many }, undefined);
      const results = await Promise.all(ladder(2).map(sign));
      expect(results).toEqual([alone('order 0'), alone('order 1')]);
    },
  );

  test('throws to each what the call throws', async () => {
    const { one } = vault();
    const many = () => Promise.reject(new RangeError('wrong use'));
    const sign = signTogether<string, Signed>({ one, many }, undefined);
    const all = await Promise.allSettled(ladder(2).map(sign));
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});

test.each<[string, (results: Result[]) => unknown]>([
  ['too few', (results) => results.slice(1)],
  ['too many', (results) => [...results, signed('order', 3)]],
  ['in another order', (results) => results.toReversed()],
  ['none', () => undefined],
  ['of no known status', (results) => results.map((one) => ({ ...one, status: 'done' }))],
  ['denied without a reason', (results) => results.map((one) => ({ ...one, status: 'denied' }))],
])('results that are none give nobody a signature: %s', async (_name, change) => {
  const { one, many } = vault((items) => ok({ results: change(items.map(signed)) }));
  const sign = signTogether<string, Signed>({ one, many }, undefined);
  const results = await Promise.all(ladder(3).map(sign));
  const bad = { ok: false, error: expect.objectContaining({ errType: 'bad_answer' }) };
  expect(results).toEqual([bad, bad, bad]);
});
