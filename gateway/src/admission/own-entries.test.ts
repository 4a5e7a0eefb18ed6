import { describe, expect, it } from '@jest/globals';
import type { Evidence } from '@countersign/core/evidence.js';
import { createOwnEntries, type OwnEntries, type OwnEntry } from './own-entries.js';

const MIB = 1024 * 1024;

function evidenceOf(bytes: number): Evidence {
  return {
    ...{ method: 'POST', path: '/v1/keys/a/sign', query: '', body: Buffer.alloc(bytes) },
    ...{ scheme: 'ApiKey', credential: 'cs_key', timestampMs: 0, nonce: Buffer.alloc(16) },
    assertion: Buffer.alloc(64),
  };
}

/** How many bytes of bodies somebody gets in who tries without end. */
function written(entries: OwnEntries, kind: OwnEntry, caller: string, bytes: number): number {
  let count = 0;
  while (entries.refuse(kind, caller, evidenceOf(bytes)) === undefined) count += 1;
  return count * bytes;
}

describe('what a caller writes of their own', () => {
  it.each([0, 400, 10_000, 262_144])('in requests of %i bytes is a MiB at once', (bytes) => {
    const entries = createOwnEntries(() => 0);
    const before = written(entries, 'signature', 'bot', bytes);
    expect(before).toBeLessThanOrEqual(MIB);
    expect(before).toBeGreaterThanOrEqual(bytes === 0 ? 0 : MIB / 4);
  });

  it('is bounded in number, too', () => {
    const entries = createOwnEntries(() => 0);
    let count = 0;
    while (entries.refuse('signature', 'bot', evidenceOf(0)) === undefined) count += 1;
    expect(count).toBeGreaterThan(500);
    expect(count).toBeLessThan(1_024);
  });

  it('comes back slowly: 22 MB in a day', () => {
    const clock = { now: 0 };
    const entries = createOwnEntries(() => clock.now);
    let total = 0;
    for (; clock.now <= 86_400_000; clock.now += 60_000) {
      total += written(entries, 'signature', 'bot', 1_000);
    }
    expect(total).toBeLessThan(23_000_000);
  });

  it('is told with the time after which there is room', () => {
    const clock = { now: 0 };
    const entries = createOwnEntries(() => clock.now);
    written(entries, 'signature', 'bot', 1_000);
    const refusal = entries.refuse('signature', 'bot', evidenceOf(1_000));
    expect(refusal).toMatchObject({ refused: 'gateway_timeout' });
    clock.now += refusal!.tooOftenForS! * 1_000;
    expect(entries.refuse('signature', 'bot', evidenceOf(1_000))).toBeUndefined();
  });

  it('keeps nobody else from writing, and not the caller from cancelling', () => {
    const entries = createOwnEntries(() => 0);
    written(entries, 'signature', 'bot', 1_000);
    expect(entries.refuse('signature', 'other', evidenceOf(1_000))).toBeUndefined();
    expect(entries.refuse('own', 'bot', evidenceOf(0))).toBeUndefined();
    expect(entries.refuse('change', 'bot', evidenceOf(0))).toBeUndefined();
  });
});
