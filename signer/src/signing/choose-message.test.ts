/** The number that a partner gives to a request of a key with rising numbers. */
import { describe, expect, it } from '@jest/globals';
import { createNoncesInMemory } from '../../../test/support/signing-replicas.js';
import type { RequestMessage } from '../requests/request-memory.js';
import { chooseMoment } from './choose-message.js';

const NOW = 1_800_000_000_000;
const CLOCK = BigInt(NOW) * 1_000n;

/** `last`: the highest number that this party has seen for the key. */
async function choose({
  hint = 0n,
  last = 1n,
  known,
}: {
  readonly hint?: bigint;
  readonly last?: bigint;
  readonly known?: RequestMessage;
}) {
  const nonces = createNoncesInMemory();
  await nonces.accept('key', last);
  const choice = { requests: { recall: () => known }, nonces, now: () => NOW };
  const ready = {
    requestId: 'request',
    item: { receivedAt: NOW, nonce: hint },
    verdict: { kind: 'ready', signing: { key: { id: 'key' }, nonceUnit: 'us' } },
  };
  const chosen = await chooseMoment(choice as never, ready as never);
  return { ...chosen, isLast: !(await nonces.accept('key', chosen.nonce)) };
}

describe('the number of a request', () => {
  it('is the next of this party without a hint', async () => {
    expect(await choose({})).toEqual({ at: NOW, nonce: CLOCK, isLast: true });
  });

  it('is the hinted one where it is above all that this party has seen', async () => {
    const hint = CLOCK + 5n;
    expect(await choose({ hint })).toEqual({ at: NOW, nonce: hint, isLast: true });
  });

  it.each([
    ['far ahead of the clock', 2n ** 64n - 1n],
    ['below what this party has seen', CLOCK],
  ])('is the next of this party where the hinted one is %s', async (_what, hint) => {
    const last = CLOCK + 5n;
    expect(await choose({ hint, last })).toEqual({ at: NOW, nonce: last + 1n, isLast: true });
  });

  it('stays the one that this party gave it, whatever is hinted', async () => {
    const known = { at: NOW - 5, nonce: 9n, sha256: 'ab'.repeat(32) };
    expect(await choose({ hint: CLOCK, known })).toMatchObject(known);
  });
});
