import { beforeEach, describe, expect, it } from '@jest/globals';
import { PRESENCE_TTL_MS } from '@countersign/runtime/jobs/names.js';
import { SPOKEN } from '@countersign/runtime/jobs/protocol.js';
import {
  presenceEntry,
  startReplica,
  type Replica,
  type ReplicaTrouble,
} from '@countersign/runtime/jobs/replica.js';
import { SeenReplicas } from './seen-replicas.js';

const NOW = 1_000_000;
const replica = startReplica(2, 'a');

let seen: SeenReplicas;
beforeEach(() => {
  seen = new SeenReplicas(() => true);
});

/** A look by a host whose clock is right. */
const lookAt = (entries: Readonly<Record<string, string>>, at: number) =>
  seen.look(entries, { now: at, elapsed: at });
const replicas = (now = NOW) => seen.candidates(now).flatMap((candidates) => candidates.replicas);
const newcomers = (now = NOW) => seen.candidates(now).flatMap(({ newcomer }) => newcomer ?? []);
const said = (at: number, ...some: Replica[]) =>
  Object.fromEntries(
    (some.length > 0 ? some : [replica]).map((one) => presenceEntry(one, at, false)),
  );
const fakes = (count: number, at = NOW) =>
  said(at, ...Array.from({ length: count }, (_, index) => startReplica(2, `fake-${index}`)));

describe('a replica is taken to be alive', () => {
  it('for three seconds after it was last heard of', () => {
    lookAt(said(NOW), NOW);
    lookAt(said(NOW), NOW + PRESENCE_TTL_MS - 1);
    expect(replicas()).toEqual([replica]);
    expect([1, 2, 3].map((party) => seen.isAlive(party as 1 | 2 | 3))).toEqual([
      false,
      true,
      false,
    ]);
    lookAt(said(NOW), NOW + PRESENCE_TTL_MS);
    expect(replicas()).toEqual([]);
    expect(seen.isAlive(2)).toBe(false);
  });

  it('so long too while Redis says nothing of it', () => {
    lookAt(said(NOW), NOW);
    lookAt({}, NOW + PRESENCE_TTL_MS - 1);
    expect(replicas()).toEqual([replica]);
    lookAt({}, NOW + PRESENCE_TTL_MS);
    expect(replicas()).toEqual([]);
  });

  it('no longer for a time that is ahead of ours', () => {
    lookAt(said(NOW + 3_600_000), NOW);
    lookAt({}, NOW + PRESENCE_TTL_MS);
    expect(replicas()).toEqual([]);
  });

  it('while it renews its word, though its clock is ten seconds behind or ahead of ours', () => {
    for (const apartMs of [-10_000, 10_000]) {
      seen = new SeenReplicas(() => true);
      const party: boolean[] = [];
      for (let at = NOW; at < NOW + 60_000; at += 500) {
        lookAt(said(Math.trunc(at / 1_000) * 1_000 + apartMs), at);
        party.push(seen.isAlive(2));
      }
      // until its first change nobody knows that it is not the last word of a dead one
      expect(party.indexOf(true)).toBe(2);
      expect(party.slice(2)).not.toContain(false);
    }
  });

  it.each([
    ['dead, whose clock was an hour ahead', 3_600_000, 0],
    ['dead, since when our clock was set back by an hour', 0, -3_600_000],
  ])('no longer for three seconds where it is %s', (_what, aheadMs, setByMs) => {
    seen.look(said(NOW + aheadMs - 1_000), { now: NOW, elapsed: 0 });
    seen.look(said(NOW + aheadMs), { now: NOW, elapsed: 500 });
    expect(seen.isAlive(2)).toBe(true);
    for (let elapsed = 1_000; elapsed < 4_000_000; elapsed += 500) {
      seen.look(said(NOW + aheadMs), { now: NOW + setByMs + elapsed, elapsed });
      expect(seen.isAlive(2)).toBe(elapsed < 500 + PRESENCE_TTL_MS);
    }
  });

  it('not at all for an entry that no party writes', () => {
    const [field, value] = presenceEntry(replica, NOW, false);
    lookAt({ [field]: 'soon', '4:a:00': value, ['__proto__']: value }, NOW);
    expect(replicas()).toEqual([]);
  });
});

describe('a replica that cannot write', () => {
  const tell = (trouble: ReplicaTrouble | undefined, at: number) =>
    lookAt(Object.fromEntries([presenceEntry(replica, at, true, undefined, { trouble })]), at);

  it.each(['cannot_pin', 'cannot_record'] as const)(
    'says so, and is asked for nothing as long as it does: %s',
    (trouble) => {
      tell(trouble, NOW);
      expect([replicas(), seen.troubleOf(2, NOW)]).toEqual([[], trouble]);
      expect(seen.troubleOf(1, NOW)).toBeUndefined();
      const later = NOW + PRESENCE_TTL_MS;
      tell(undefined, later);
      expect([replicas(), seen.troubleOf(2, later)]).toEqual([[replica], undefined]);
    },
  );
});

describe('a replica of another release', () => {
  const speaking = (at: number, oldest: number, newest: number, one = replica) =>
    Object.fromEntries([presenceEntry(one, at, false, undefined, { spoken: { oldest, newest } })]);

  it('is asked for nothing while it speaks no version that the gateway speaks, and is named so', () => {
    lookAt(speaking(NOW, SPOKEN.newest + 1, SPOKEN.newest + 2), NOW);
    expect([replicas(), seen.isAlive(2), seen.troubleOf(2, NOW)]).toEqual([
      [],
      false,
      'other_release',
    ]);
    lookAt(speaking(NOW, SPOKEN.newest, SPOKEN.newest + 1), NOW);
    expect(replicas()).toEqual([replica]);
  });

  it('is asked in the newest version that all three speak', () => {
    seen = new SeenReplicas(() => true, { oldest: 2, newest: 4 });
    const [third, first] = [startReplica(3, 'a'), startReplica(1, 'a')];
    const looked = [speaking(NOW, 1, 3), speaking(NOW, 2, 9, third), speaking(NOW, 4, 5, first)];
    lookAt(Object.assign({}, ...looked), NOW);
    expect(seen.versionOf(replica, third)).toBe(3);
    expect(seen.versionOf(third, first)).toBe(4);
    expect(seen.versionOf(replica, first)).toBeUndefined();
    expect(seen.versionOf(replica, startReplica(3, 'b'))).toBeUndefined();
  });

  it('keeps the versions that its party signed, whatever is written under its name later', () => {
    seen = new SeenReplicas(({ signature }) => signature !== undefined, { oldest: 1, newest: 2 });
    const spoken = { oldest: 1, newest: 2 };
    const signed = presenceEntry(replica, NOW, false, Buffer.alloc(64), { spoken });
    lookAt(Object.fromEntries([signed]), NOW);
    for (const [oldest, newest] of [
      [1, 1],
      [9, 9],
    ] as const) {
      lookAt(speaking(NOW + 1, oldest, newest), NOW + 1);
      expect([replicas(), seen.versionOf(replica)]).toEqual([[replica], 2]);
    }
  });
});

describe('replicas to choose from', () => {
  it('are all of a party until one has answered', () => {
    const other = startReplica(2, 'b');
    lookAt(said(NOW, replica, other), NOW);
    expect(replicas()).toEqual([replica, other]);
    seen.noteAnswer(other);
    expect(replicas()).toEqual([other]);
    expect(newcomers()).toEqual([replica]);
    seen.noteAnswer(replica);
    expect(replicas()).toEqual([replica, other]);
    expect(newcomers()).toEqual([]);
  });

  it('are those that did not fail just now, where there are any', () => {
    const other = startReplica(2, 'b');
    lookAt(said(NOW, replica, other), NOW);
    for (const one of [replica, other]) seen.noteAnswer(one);
    seen.noteFailure(replica, NOW);
    expect(replicas(NOW + 1_999)).toEqual([other]);
    seen.noteFailure(other, NOW + 1);
    expect(replicas(NOW + 1_999)).toEqual([replica, other]);
    expect(replicas(NOW + 2_000)).toEqual([replica]);
  });

  it('are sixteen of a party at most', () => {
    lookAt(fakes(1_000), NOW);
    expect(replicas()).toHaveLength(16);
  });

  it('are those that answered, however many are invented beside them', () => {
    lookAt(said(NOW), NOW);
    seen.noteAnswer(replica);
    for (let look = 1; look < 100; look++) {
      const at = NOW + look * 500;
      lookAt({ ...fakes(200, at), ...said(at) }, at);
      expect(replicas(at)).toEqual([replica]);
    }
  });

  it('are those that answered also while somebody writes another process under their name', () => {
    lookAt(said(NOW), NOW);
    seen.noteAnswer(replica);
    for (let look = 1; look < 100; look++) {
      const at = NOW + look * 500;
      lookAt(said(at, startReplica(2, replica.name)), at);
      expect(replicas(at)).toEqual([replica]);
    }
  });

  it('are those that were there first while none has answered: what is invented later comes after them', () => {
    const other = startReplica(2, 'b');
    lookAt(said(NOW, replica, other), NOW);
    const look = () =>
      lookAt({ ...fakes(200, NOW + 500), ...said(NOW + 500, replica, other) }, NOW + 500);
    look();
    expect(replicas()).toEqual([replica, other]);
    seen.noteFailure(replica, NOW + 500);
    expect(replicas()).toEqual([other]);
    seen.noteFailure(other, NOW + 500);
    expect(replicas()).not.toContainEqual(replica);
  });

  it('are found among many that are invented, before any has answered', () => {
    let found = 0;
    for (let look = 1; look < 200 && found === 0; look++) {
      const at = NOW + look * 500;
      lookAt({ ...fakes(200, at), ...said(at) }, at);
      for (const one of replicas(at)) {
        if (one.name === replica.name) found = look;
        else seen.noteFailure(one, at);
      }
    }
    expect(found).toBeGreaterThan(0);
  });

  it('are others once one that answered has failed three times', () => {
    const other = startReplica(2, 'b');
    lookAt(said(NOW), NOW);
    seen.noteAnswer(replica);
    lookAt(said(NOW + 500, other), NOW + 500);
    for (let count = 0; count < 2; count++) seen.noteFailure(replica, NOW + 500);
    expect(replicas(NOW + 500)).toEqual([replica]);
    seen.noteFailure(replica, NOW + 500);
    expect(replicas(NOW + 500)).toEqual([other]);
  });
});

describe('one that has not answered yet', () => {
  it('are others once one that answered has failed, where another process has its name', () => {
    lookAt(said(NOW), NOW);
    seen.noteAnswer(replica);
    const next = startReplica(2, replica.name);
    lookAt(said(NOW, replica, next), NOW);
    expect(replicas()).toEqual([replica]);
    seen.noteFailure(replica, NOW);
    expect(replicas()).toEqual([next]);
    lookAt(said(NOW + PRESENCE_TTL_MS, next), NOW + PRESENCE_TTL_MS);
    expect(seen.figures(NOW + PRESENCE_TTL_MS)).toHaveLength(1);
  });

  it('are the one that answered again, if what has its name does not', () => {
    lookAt(said(NOW), NOW);
    seen.noteAnswer(replica);
    const old = startReplica(2, replica.name);
    lookAt(said(NOW + 500, replica, old), NOW + 500);
    seen.noteFailure(replica, NOW + 500);
    expect(replicas(NOW + 500)).toEqual([old]);
    seen.noteFailure(old, NOW + 500);
    expect(replicas(NOW + 500)).toEqual([replica]);
    seen.noteAnswer(replica);
    expect(newcomers(NOW + 5_000)).toEqual([old]);
  });

  it('is tried ever more seldom while such trials fail, and at once after one has answered', () => {
    const other = startReplica(2, 'b');
    const third = startReplica(2, 'c');
    const look = (at: number) => lookAt(said(at, replica, other, third), at);
    look(NOW);
    seen.noteAnswer(replica);
    const tried: number[] = [];
    for (let at = NOW; at < NOW + 30_000; at += 500) {
      look(at);
      const [newcomer] = newcomers(at);
      if (newcomer === undefined) continue;
      seen.beginTrial(newcomer, at);
      seen.noteFailure(newcomer, at);
      tried.push((at - NOW) / 1_000);
    }
    expect(tried).toEqual([0, 1, 3, 7, 15]);
    look(NOW + 60_000);
    seen.noteAnswer(replica);
    seen.beginTrial(other, NOW + 60_000);
    seen.noteAnswer(other);
    look(NOW + 61_000);
    expect(newcomers(NOW + 120_000)).toEqual([third]);
  });
});

describe('a replica that its party has not signed for', () => {
  const onlyOurs = ({ replica: { name } }: { replica: Replica }) => !name.startsWith('fake');

  it('is nobody, however many there are, and keeps nobody else from being found', () => {
    seen = new SeenReplicas(onlyOurs);
    let found = 0;
    for (let look = 1; look <= 20; look++) {
      const at = NOW + look * 500;
      lookAt({ ...fakes(200, at), ...said(at) }, at);
      if (replicas(at).length > 0) found += 1;
      expect(replicas(at).every(({ name }) => name === replica.name)).toBe(true);
    }
    expect(found).toBeGreaterThan(0);
  });

  it('costs 64 checks a look at most, and one that is known costs none', () => {
    let checks = 0;
    seen = new SeenReplicas((entry) => {
      checks += 1;
      return onlyOurs(entry);
    });
    lookAt(said(NOW), NOW);
    lookAt(said(NOW + 500), NOW + 500);
    expect(checks).toBe(1);
    lookAt(fakes(1_000, NOW + 1_000), NOW + 1_000);
    expect(checks).toBe(65);
  });
});
