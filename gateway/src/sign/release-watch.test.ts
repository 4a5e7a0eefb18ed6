import { expect, it } from '@jest/globals';
import { sendReleased, type ReleaseDeps } from './release-watch.js';

const NOW = 1_800_000_000_000;
const AHEAD_MS = 240_000;

/** One approved request, whose release the ledger dates; its evidence cannot be opened here. */
function openReleased(releasedAt: number) {
  let clock = NOW;
  let opened = 0;
  const row = {
    status: 'released',
    releasedAt,
    get call() {
      opened += 1;
      return null;
    },
  };
  const pendingRequests = {
    rows: new Map([['id', row]]),
    indexes: { released: new Set(['id']) },
  };
  const deps = {
    follower: { state: { pendingRequests } },
    now: () => clock,
  } as unknown as ReleaseDeps;
  const taken = new Set<string>();
  return {
    look: () => sendReleased(deps, taken),
    comeTo: (moment: number) => void (clock = moment),
    get opened() {
      return opened > 0;
    },
  };
}

it('what the ledger dates ahead of this clock is sent once its time is there', async () => {
  const released = openReleased(NOW + AHEAD_MS);
  await released.look();
  expect(released.opened).toBe(false);
  // parties take it from a minute ahead on, by clocks that may be most of that minute behind this one
  released.comeTo(NOW + AHEAD_MS - 55_000);
  await released.look();
  expect(released.opened).toBe(false);
  released.comeTo(NOW + AHEAD_MS - 5_000);
  await released.look();
  expect(released.opened).toBe(true);
});
