import { describe, expect, it } from '@jest/globals';
import { isRefusal } from '@countersign/core/errors.js';
import { createEntrance, OVERLOADED, type Entrance, type Visit } from './entrance.js';

const MANY = 64;

function open() {
  const clock = { now: 0 };
  return { clock, entrance: createEntrance(() => clock.now) };
}

function enter(entrance: Entrance, callerId: string, count = 1): Visit[] {
  return Array.from({ length: count }, () => entrance.enter(callerId)).filter(
    (visit): visit is Visit => !isRefusal(visit),
  );
}

describe('the entrance', () => {
  it('is open to a burst, however large, as long as nobody waits long', () => {
    const { entrance, clock } = open();
    expect(enter(entrance, 'greedy', 5_000)).toHaveLength(5_000);
    clock.now = 250;
    expect(enter(entrance, 'greedy')).toHaveLength(1);
    clock.now = 251;
    expect(entrance.enter('greedy')).toBe(OVERLOADED);
    expect(OVERLOADED).toMatchObject({ refused: 'gateway_timeout', tooOftenForS: 1 });
  });

  it('says beforehand whom it is shut to, and whether to anybody', () => {
    const { entrance, clock } = open();
    enter(entrance, 'greedy', MANY - 1);
    clock.now = 10_000;
    expect([entrance.isLate, entrance.isShutTo('greedy')]).toEqual([false, false]);
    enter(entrance, 'greedy');
    expect([entrance.isLate, entrance.isShutTo('greedy')]).toEqual([true, true]);
    expect(entrance.isShutTo('modest')).toBe(true);
    expect(entrance.inside).toBe(MANY);
  });

  it('stays open to callers who have nothing inside, for a while', () => {
    const { entrance, clock } = open();
    enter(entrance, 'greedy', MANY);
    clock.now = 750;
    expect([entrance.isLate, entrance.isShutTo('modest')]).toEqual([true, false]);
    expect(enter(entrance, 'modest', 2)).toHaveLength(1);
    clock.now = 751;
    expect(enter(entrance, 'another')).toEqual([]);
  });

  it('is never shut by few, however long they take', () => {
    const { entrance, clock } = open();
    enter(entrance, 'slow', MANY - 1);
    clock.now = 60_000;
    expect(enter(entrance, 'slow')).toHaveLength(1);
    expect(enter(entrance, 'slow')).toEqual([]);
  });

  it('opens again once those who came first have left, each counted once', () => {
    const { entrance, clock } = open();
    const first = enter(entrance, 'greedy', MANY);
    clock.now = 200;
    enter(entrance, 'greedy', MANY);
    clock.now = 300;
    expect(enter(entrance, 'greedy')).toEqual([]);
    for (const visit of [...first, ...first]) visit.leave();
    expect(entrance.aheadOf('greedy')).toBe(MANY);
    expect(enter(entrance, 'greedy')).toHaveLength(1);
  });

  it('has fewer ahead of a caller who has fewer inside', () => {
    const { entrance } = open();
    enter(entrance, 'greedy', MANY);
    enter(entrance, 'modest', 2);
    expect(entrance.aheadOf('greedy')).toBe(MANY + 2);
    expect(entrance.aheadOf('modest')).toBe(5);
    expect(entrance.aheadOf('another')).toBe(2);
  });

  it('forgets callers who have left', () => {
    const { entrance, clock } = open();
    enter(entrance, 'greedy', MANY);
    for (const visit of enter(entrance, 'modest', 2)) visit.leave();
    clock.now = 500;
    expect(enter(entrance, 'modest')).toHaveLength(1);
  });
});
