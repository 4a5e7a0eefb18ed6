import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { PRESENCE_KEY, PRESENCE_TTL_MS } from '@countersign/runtime/jobs/names.js';
import { presenceEntry, startReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { Redis } from 'ioredis';
import { openOwnPresence, type OwnPresence } from './own-presence.js';

const SELF = startReplica(1, 'a');
const KEEPER = startReplica(1, 'keeper');
const [SECOND, THIRD] = [startReplica(2, 'a'), startReplica(3, 'a')];
const NOW = Date.UTC(2026, 10, 22);

let hash: Record<string, string>;
let isFit: boolean;
let presence: OwnPresence;

const redis = {
  async hset(key: string, field: string, value: string) {
    expect(key).toBe(PRESENCE_KEY);
    hash[field] = value;
  },
  hgetall: async () => hash,
  async hdel(_key: string, field: string) {
    delete hash[field];
  },
} as unknown as Redis;

const open = (isKeeper = false) => {
  presence = openOwnPresence({ redis, self: SELF, isKeeper, now: Date.now });
  return presence;
};

function say(replica: Replica, isKeeper: boolean, seenAt = NOW): void {
  const [field, value] = presenceEntry(replica, seenAt, isKeeper);
  hash[field] = value;
}

beforeEach(() => {
  jest.useFakeTimers({ now: NOW });
  hash = {};
  isFit = true;
});
afterEach(async () => {
  await presence.stop();
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

describe("a replica's presence", () => {
  it.each([true, false])('says that it is alive, and whether it is the keeper: %s', (isKeeper) => {
    open(isKeeper).announce(() => isFit);
    const [field, value] = presenceEntry(SELF, NOW, isKeeper);
    expect(hash).toEqual({ [field]: value });
    jest.advanceTimersByTime(500);
    expect(hash).toEqual({ [field]: presenceEntry(SELF, NOW + 500, isKeeper)[1] });
  });

  it('is not renewed while it is not fit, and is taken back when it stops', async () => {
    open().announce(() => isFit);
    isFit = false;
    jest.advanceTimersByTime(5_000);
    expect(Object.values(hash)).toEqual([presenceEntry(SELF, NOW, false)[1]]);
    await presence.stop();
    expect(hash).toEqual({});
  });
});

describe('the keeper of a party', () => {
  it('is the one that says so, of the own party', async () => {
    say(KEEPER, true);
    say(startReplica(1, 'b'), false);
    say(SECOND, true);
    expect(await open().findKeeper()).toEqual(KEEPER);
  });

  it('is nobody where only others speak, or the one of the own party is silent', async () => {
    say(startReplica(1, 'b'), false);
    say(SECOND, true);
    expect(await open().findKeeper()).toBeUndefined();
    say(KEEPER, true, NOW - PRESENCE_TTL_MS);
    expect(await presence.findKeeper()).toBeUndefined();
    say(KEEPER, true, NOW - PRESENCE_TTL_MS + 1);
    expect(await presence.findKeeper()).toEqual(KEEPER);
  });
});

describe('all other replicas', () => {
  it('are those that are alive, of all parties, and never this one', async () => {
    for (const replica of [SELF, KEEPER, SECOND]) say(replica, false);
    say(THIRD, false, NOW - PRESENCE_TTL_MS);
    expect(await open().findOthers()).toEqual([KEEPER, SECOND]);
  });
});

describe('one replica of each party', () => {
  it('is known while every other party has one, and is this one for its own', async () => {
    say(KEEPER, true);
    say(SECOND, false);
    expect(await open().findReplicas()).toBeUndefined();
    say(THIRD, true);
    expect(await presence.findReplicas()).toEqual([SELF, SECOND, THIRD]);
  });
});
