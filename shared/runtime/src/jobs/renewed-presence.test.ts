import { beforeEach, describe, expect, it } from '@jest/globals';
import { PRESENCE_TTL_MS } from './names.js';
import { watchRenewals, type Renewals } from './renewed-presence.js';
import { presenceEntry, startReplica } from './replica.js';

const NOW = 1_800_000_000_000;
const HOUR_MS = 3_600_000;
const replica = startReplica(2, 'a');
const said = (seenAt: number) => Object.fromEntries([presenceEntry(replica, seenAt, false)]);

let renewals: Renewals;
/** How long ago the replica renewed its word, as a look at this moment sees it; undefined where it is not alive. */
function ageOf(entries: Readonly<Record<string, string>>, elapsed: number): number | undefined {
  const [one] = renewals.look(entries, { now: NOW + elapsed, elapsed });
  return one && elapsed - one.renewedAt;
}

beforeEach(() => {
  renewals = watchRenewals();
});

describe('an entry that is seen for the first time', () => {
  it('is as old as it says where its time is near ours, and new where it is a little ahead', () => {
    expect(ageOf(said(NOW - 2_999), 0)).toBe(2_999);
    renewals = watchRenewals();
    expect(ageOf(said(NOW + 2_999), 0)).toBe(0);
  });

  it.each([-PRESENCE_TTL_MS, PRESENCE_TTL_MS, HOUR_MS])(
    'is nobody where its time is %s ms from ours: a dead replica may have left it',
    (apartMs) => {
      expect(ageOf(said(NOW + apartMs), 0)).toBeUndefined();
      expect(ageOf(said(NOW + apartMs), 1_000)).toBeUndefined();
    },
  );

  it('is renewed with its first change, whatever its time', () => {
    ageOf(said(NOW + HOUR_MS), 0);
    expect(ageOf(said(NOW + HOUR_MS - 7), 1_000)).toBe(0);
    expect(ageOf(said(NOW + HOUR_MS - 7), 1_500)).toBe(500);
  });
});

describe('an entry that changed', () => {
  it('while nobody looked for long is one that is seen for the first time', () => {
    ageOf(said(NOW + HOUR_MS), 0);
    expect(ageOf(said(NOW + HOUR_MS + 1), PRESENCE_TTL_MS)).toBeUndefined();
    expect(ageOf(said(NOW + HOUR_MS + 2), PRESENCE_TTL_MS + 1_000)).toBe(0);
  });

  it('while Redis said nothing for a moment is renewed, and one that did not is not', () => {
    ageOf(said(NOW + HOUR_MS), 0);
    ageOf(said(NOW + HOUR_MS + 1), 500);
    expect(ageOf({}, 1_000)).toBeUndefined();
    expect(ageOf(said(NOW + HOUR_MS + 1), 1_500)).toBe(1_000);
    ageOf({}, 2_000);
    expect(ageOf(said(NOW + HOUR_MS + 2), 2_500)).toBe(0);
  });
});
