import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { dkgRoundOne, dkgRoundTwo } from '../frost/dkg.js';
import type { RoundOnePackages } from '../../threads/dkg-packages.js';
import { createDkgSessions, type DkgSessions } from './dkg-sessions.js';

const LIFETIME_MS = 1000;

function packagesWith(first: Uint8Array): RoundOnePackages {
  return [first, dkgRoundOne(2).roundOnePackage, dkgRoundOne(3).roundOnePackage];
}

describe('key generation sessions', () => {
  let sessions: DkgSessions;

  beforeEach(() => {
    jest.useFakeTimers();
    sessions = createDkgSessions({ identifier: 1, limit: 2, lifetimeMs: LIFETIME_MS });
  });

  afterEach(() => {
    jest.runAllTimers();
    jest.useRealTimers();
  });

  test('one id is one session', () => {
    sessions.roundOne('a');
    expect(() => sessions.roundOne('a')).toThrow('already under way');
  });

  test('are limited in number', () => {
    sessions.roundOne('a');
    sessions.roundOne('b');
    expect(() => sessions.roundOne('c')).toThrow('2 key generations are under way already');
  });

  test('end when their time is up, and make room', () => {
    const packages = packagesWith(sessions.roundOne('a'));
    sessions.roundOne('b');
    jest.advanceTimersByTime(LIFETIME_MS);
    expect(() => sessions.roundTwo('a', packages)).toThrow('not under way');
    expect(() => sessions.roundOne('c')).not.toThrow();
  });

  test('end with their first failed round', () => {
    const packages = packagesWith(sessions.roundOne('a'));
    const swapped: RoundOnePackages = [packages[0], packages[2], packages[1]];
    expect(() => sessions.roundTwo('a', swapped)).toThrow('not a package of participant 2');
    expect(() => sessions.roundTwo('a', packages)).toThrow('not under way');
  });

  test('end with success', () => {
    const [two, three] = [dkgRoundOne(2), dkgRoundOne(3)];
    const packages: RoundOnePackages = [
      sessions.roundOne('a'),
      two.roundOnePackage,
      three.roundOnePackage,
    ];
    sessions.roundTwo('a', packages);
    const received = [two, three]
      .flatMap(({ participant }) => dkgRoundTwo(participant, packages))
      .filter((one) => one.recipient === 1)
      .map((one) => one.bytes);
    expect(sessions.roundThree('a', packages, received).groupPublicKey).toHaveLength(32);
    expect(() => sessions.roundThree('a', packages, received)).toThrow('not under way');
    expect(() => sessions.roundOne('a')).not.toThrow();
  });
});
