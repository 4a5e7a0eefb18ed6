import { expect, it } from '@jest/globals';
import type { Webhook } from '@countersign/vault/state/state.js';
import { subscribersOf } from './subscribers.js';

const MADE = 1_000_000;
const webhook: Webhook = {
  ...{ id: 'w', displayName: 'one', url: 'https://one.example.com/', enabled: true, version: 1 },
  ...{ events: ['alarm.raised'], createdAt: MADE, createdBy: 'a' },
  ...{ lastUpdatedAt: MADE, lastUpdatedBy: 'a' },
};
const gets = (event: { at: number; knownAt?: number }, one: Webhook = webhook) =>
  subscribersOf({ type: 'alarm.raised', ...event }, [one]).length === 1;

it.each<[string, boolean, boolean]>([
  ['of its own time', gets({ at: MADE }), true],
  ['of before it', gets({ at: MADE - 1 }), false],
  ['by a clock that is behind', gets({ at: 0, knownAt: MADE }), true],
  ['by a clock that is behind, known before it', gets({ at: 0, knownAt: MADE - 1 }), false],
  ['while it is disabled', gets({ at: MADE }, { ...webhook, enabled: false }), false],
  ['of another kind', gets({ at: MADE }, { ...webhook, events: ['freeze.changed'] }), false],
])('a webhook gets an event %s: %s', (_which, got, expected) => {
  expect(got).toBe(expected);
});
