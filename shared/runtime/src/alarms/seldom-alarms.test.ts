import { expect, it } from '@jest/globals';
import type { Alarm } from './alarms.js';
import { createSeldomAlarms } from './seldom-alarms.js';

it('an alarm of one kind about one party is told once a minute, with how many there were', () => {
  const clock = { now: 1_000_000 };
  const told: Alarm[] = [];
  const alarms = createSeldomAlarms({ raise: (alarm) => void told.push(alarm) }, () => clock.now);
  const flood: Alarm = { kind: 'party_floods', party: 3, reason: 'too much' };
  for (let count = 0; count < 1_000; count++) alarms.raise(flood);
  alarms.raise({ ...flood, party: 2 });
  alarms.raise({ ...flood, kind: 'party_misbehaved' });
  expect(told).toEqual([flood, { ...flood, party: 2 }, { ...flood, kind: 'party_misbehaved' }]);
  clock.now += 60_000;
  alarms.raise(flood);
  expect(told.at(-1)).toEqual({
    ...flood,
    reason: 'too much (and 999 more since the last alarm)',
  });
  clock.now += 60_000;
  alarms.raise(flood);
  expect(told.at(-1)).toEqual(flood);
});
