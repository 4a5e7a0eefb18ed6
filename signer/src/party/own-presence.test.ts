import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { PRESENCE_KEY, PRESENCE_TTL_MS } from '@countersign/runtime/jobs/names.js';
import {
  isSameReplica,
  parsePresence,
  presenceEntry,
  presenceMessage,
  startReplica,
  type Replica,
} from '@countersign/runtime/jobs/replica.js';
import { sha256 } from '@countersign/core/hash.js';
import type { Redis } from 'ioredis';
import { openOwnPresence, type OwnPresence, type Standing } from './own-presence.js';

const SELF = startReplica(1, 'a');
const PRIMARY = startReplica(1, 'primary');
const [SECOND, THIRD] = [startReplica(2, 'a'), startReplica(3, 'a')];
const NOW = Date.UTC(2026, 10, 22);

const GENESIS = 'ab'.repeat(32);
const sign = async (message: Uint8Array) => Buffer.concat([sha256(message), sha256(message)]);
/** As this replica says it of itself. */
const ownEntry = (isPrimary: boolean, seenAt = NOW) => {
  const message = sha256(presenceMessage(SELF, isPrimary, GENESIS));
  return presenceEntry(SELF, seenAt, isPrimary, Buffer.concat([message, message]));
};

let hash: Record<string, string>;
let standing: Standing;
let presence: OwnPresence;
let heard: Replica[];
const isHeard = (replica: Replica) => heard.some((one) => isSameReplica(one, replica));

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

const open = (isPrimary = false, of = redis) => {
  presence = openOwnPresence({
    redis: of,
    self: SELF,
    isPrimary,
    now: Date.now,
    elapsed: () => performance.now(),
    isHeard,
    genesisHash: GENESIS,
    sign,
  });
  return presence;
};

function say(replica: Replica, isPrimary: boolean, seenAt = NOW): void {
  const [field, value] = presenceEntry(replica, seenAt, isPrimary);
  hash[field] = value;
}

beforeEach(() => {
  jest.useFakeTimers({ now: NOW });
  hash = {};
  heard = [];
  standing = 'fit';
});
afterEach(async () => {
  await presence.stop();
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

describe("a replica's presence", () => {
  it.each([true, false])(
    'says that it is alive, and whether it is the primary replica, signed: %s',
    async (isPrimary) => {
      await open(isPrimary).announce(() => standing);
      const [field, value] = ownEntry(isPrimary);
      expect(hash).toEqual({ [field]: value });
      await jest.advanceTimersByTimeAsync(1_000);
      expect(hash).toEqual({ [field]: ownEntry(isPrimary, NOW + 1_000)[1] });
    },
  );

  it('is not renewed while it is not fit, and is taken back when it stops', async () => {
    await open().announce(() => standing);
    standing = 'silent';
    await jest.advanceTimersByTimeAsync(5_000);
    expect(Object.values(hash)).toEqual([ownEntry(false)[1]]);
    await presence.stop();
    expect(hash).toEqual({});
  });
});

describe('a replica that cannot write', () => {
  it.each(['cannot_pin', 'cannot_record'] as const)('says so: %s', async (trouble) => {
    standing = trouble;
    await open(true).announce(() => standing);
    expect(parsePresence(...Object.entries(hash)[0]!)).toMatchObject({ replica: SELF, trouble });
    standing = 'fit';
    await jest.advanceTimersByTimeAsync(1_000);
    expect(hash).toEqual(Object.fromEntries([ownEntry(true, NOW + 1_000)]));
  });

  it('is asked for nothing', async () => {
    const [field, value] = presenceEntry(PRIMARY, NOW, true, undefined, { trouble: 'cannot_pin' });
    hash[field] = value;
    expect(await open().findPrimary()).toBeUndefined();
    say(PRIMARY, true);
    expect(await presence.findPrimary()).toEqual(PRIMARY);
  });
});

describe('the primary replica of a party', () => {
  it('is the one that says so, of the own party', async () => {
    say(PRIMARY, true);
    say(startReplica(1, 'b'), false);
    say(SECOND, true);
    expect(await open().findPrimary()).toEqual(PRIMARY);
  });

  it('is nobody where only others speak, or the one of the own party is silent', async () => {
    say(startReplica(1, 'b'), false);
    say(SECOND, true);
    expect(await open().findPrimary()).toBeUndefined();
    say(PRIMARY, true, NOW - PRESENCE_TTL_MS);
    expect(await presence.findPrimary()).toBeUndefined();
    say(PRIMARY, true, NOW - PRESENCE_TTL_MS + 1);
    expect(await presence.findPrimary()).toEqual(PRIMARY);
  });
});

describe("a replica whose host's clock is wrong", () => {
  const FAR_MS = 3_600_000;

  it.each([-10_000, FAR_MS])('is found once it renews its word: %s ms', async (apartMs) => {
    say(PRIMARY, true, NOW + apartMs);
    await open().announce(() => standing);
    expect(await presence.findPrimary()).toBeUndefined();
    for (let second = 1; second < 10; second++) {
      say(PRIMARY, true, NOW + apartMs + second * 1_000);
      await jest.advanceTimersByTimeAsync(1_000);
      expect(await presence.findPrimary()).toEqual(PRIMARY);
    }
  });

  it('is nobody when it is dead, and keeps no ceremony from the live one', async () => {
    const dead = startReplica(2, 'dead');
    say(dead, false, NOW + FAR_MS);
    heard = [dead, SECOND];
    await open().announce(() => standing);
    for (let second = 0; second < 2 * 3_600; second += 1) {
      for (const replica of [SECOND, THIRD]) say(replica, false, Date.now());
      if (second % 60 === 0) {
        expect(await presence.findReplicas()).toEqual([SELF, SECOND, THIRD]);
      }
      await jest.advanceTimersByTimeAsync(1_000);
    }
  });
});

describe('all other replicas', () => {
  it('are those that are alive, of all parties, and never this one', async () => {
    for (const replica of [SELF, PRIMARY, SECOND]) say(replica, false);
    say(THIRD, false, NOW - PRESENCE_TTL_MS);
    expect(await open().findOthers()).toEqual([PRIMARY, SECOND]);
  });
});

describe('one replica of each party', () => {
  it('is known while every other party has one, and is this one for its own', async () => {
    say(PRIMARY, true);
    say(SECOND, false);
    expect(await open().findReplicas()).toBeUndefined();
    say(THIRD, true);
    expect(await presence.findReplicas()).toEqual([SELF, SECOND, THIRD]);
  });
});

describe('while Redis is away', () => {
  it('its own words do not pile up, the newest is said when it is back, and none once it has stopped', async () => {
    const said: (readonly [value: string, taken: () => void])[] = [];
    const away = {
      hgetall: async () => hash,
      hdel: async () => 1,
      hset: (_key: string, _field: string, value: string) =>
        new Promise<void>((resolve) => said.push([value, resolve])),
    } as unknown as Redis;
    await open(false, away).announce(() => standing);
    await jest.advanceTimersByTimeAsync(3_600_000);
    expect(said).toHaveLength(1);
    said[0]![1]();
    await jest.advanceTimersByTimeAsync(1_500);
    expect(said.map(([value]) => value)).toEqual([
      ownEntry(false)[1],
      ownEntry(false, NOW + 3_600_000)[1],
    ]);
    await presence.stop();
    said[1]![1]();
    await jest.advanceTimersByTimeAsync(1_500);
    expect(said).toHaveLength(2);
  });

  it('nobody who looks waits in a queue of his own', async () => {
    let asked = 0;
    const answers: (() => void)[] = [];
    const away = {
      hdel: async () => 1,
      hgetall: () => {
        asked += 1;
        return new Promise((resolve) => answers.push(() => resolve(hash)));
      },
    } as unknown as Redis;
    say(PRIMARY, true);
    open(false, away);
    const looks = Array.from({ length: 100 }, () => presence.findPrimary());
    expect(asked).toBe(1);
    answers[0]!();
    await jest.advanceTimersByTimeAsync(0);
    expect(asked).toBe(2);
    answers[1]!();
    expect(await Promise.all(looks)).toEqual(looks.map(() => PRIMARY));
    expect(asked).toBe(2);
  });
});

describe('among replicas that somebody invented', () => {
  const invent = (party: 1 | 2 | 3) => {
    for (let count = 0; count < 20; count++) say(startReplica(party, `fake-${count}`), true);
  };

  it('those that were heard are chosen', async () => {
    for (const party of [1, 2, 3] as const) invent(party);
    for (const replica of [PRIMARY, SECOND, THIRD]) say(replica, true);
    heard = [PRIMARY, SECOND, THIRD];
    for (let count = 0; count < 50; count++) {
      expect(await open().findPrimary()).toEqual(PRIMARY);
      expect(await presence.findReplicas()).toEqual([SELF, SECOND, THIRD]);
    }
  });

  it('everybody has a turn while none was heard', async () => {
    invent(1);
    say(PRIMARY, true);
    open();
    const chosen: (Replica | undefined)[] = [];
    for (let count = 0; count < 21; count++) chosen.push(await presence.findPrimary());
    expect(chosen).toContainEqual(PRIMARY);
  });
});
