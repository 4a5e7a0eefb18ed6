import { describe, expect, it } from '@jest/globals';
import type { Key } from '@countersign/vault/state/state.js';
import { CallSchedule, laneOf } from './call-schedule.js';

function key(id: string, fields: Partial<Key> = {}): Key {
  return { id, type: 'ed25519', status: 'generating', ...fields } as Key;
}

const rsa = (id: string) => key(id, { type: 'rsa' });
const ids = (keys: readonly Key[]) => keys.map(({ id }) => id);

describe('the lane of a run', () => {
  it('is one for all RSA keys that are generated, and otherwise the key itself', () => {
    expect(laneOf(rsa('a'))).toBe(laneOf(rsa('b')));
    expect(laneOf(key('a', { type: 'rsa', status: 'importing' }))).toBe('a');
    expect(laneOf(key('b'))).toBe('b');
  });
});

describe('the schedule of calls', () => {
  it('calls every pending key once, as long as its call lasts', () => {
    const schedule = new CallSchedule();
    const pending = [key('a'), key('b')];
    expect(ids(schedule.begin(pending, 0))).toEqual(['a', 'b']);
    expect(schedule.begin(pending, 0)).toEqual([]);
    schedule.end(pending[0]!, false, 0);
    expect(ids(schedule.begin(pending, 0))).toEqual(['a']);
  });

  it('calls one RSA generation at a time, the first first, beside other keys', () => {
    const schedule = new CallSchedule();
    const pending = [rsa('r'), rsa('s'), key('a')];
    expect(ids(schedule.begin(pending, 0))).toEqual(['r', 'a']);
    schedule.end(pending[0]!, false, 0);
    expect(ids(schedule.begin(pending.slice(1), 0))).toEqual(['s']);
  });

  it('calls no more than eight at once', () => {
    const schedule = new CallSchedule();
    const pending = Array.from({ length: 12 }, (_, index) => key(`k${index}`));
    expect(schedule.begin(pending, 0)).toEqual(pending.slice(0, 8));
    schedule.end(pending[3]!, false, 0);
    expect(ids(schedule.begin(pending.slice(8), 0))).toEqual(['k8']);
  });

  it('doubles the wait of a key as long as it stays pending, up to 15 s, and then begins anew', () => {
    const schedule = new CallSchedule();
    const a = key('a');
    let now = 1_000_000;
    const waits: number[] = [];
    for (let call = 0; call < 7; call++) {
      const calledAt = now;
      while (schedule.begin([a], now).length === 0) now += 500;
      waits.push(now - calledAt);
      schedule.end(a, true, now);
    }
    expect(waits).toEqual([0, 500, 1_000, 2_000, 4_000, 8_000, 15_000]);
    expect(ids(schedule.begin([a], now + 15_000))).toEqual(['a']);
    schedule.end(a, false, now);
    schedule.begin([a], now);
    schedule.end(a, true, now);
    expect(ids(schedule.begin([a], now + 500))).toEqual(['a']);
  });

  it('does not let one key wait for the pause of another', () => {
    const schedule = new CallSchedule();
    const pending = [rsa('r'), rsa('s')];
    schedule.begin(pending, 0);
    schedule.end(pending[0]!, true, 1_000);
    expect(ids(schedule.begin(pending, 1_000))).toEqual(['s']);
  });
});
