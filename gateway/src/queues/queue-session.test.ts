import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createEvidenceKeys, withoutDistrusted } from '@countersign/core/evidence-key.js';
import { createQueueSessions, SESSION_MS, type QueueSession } from './queue-session.js';

const NOW = 1_764_000_000_000;
const keys = createEvidenceKeys([randomBytes(32)]);
const session: QueueSession = { userId: 'a', credential: 'c', endsAt: NOW + SESSION_MS };

const sessionsAt = (now: number, of: Parameters<typeof createQueueSessions>[0] = keys) =>
  createQueueSessions(of, () => now);
const cookie = (value = sessionsAt(NOW).seal(session)) => value.split(';')[0]!;
const sealedAs = (what: string, text: string) => {
  const sealed = keys.seal(Buffer.from(text), Buffer.from(what));
  return `__Secure-countersign-queues=${sealed.toString('base64url')}`;
};

describe('the cookie of a session', () => {
  it('is for the page alone, and kept from scripts, other sites and plain HTTP', () => {
    const [, ...attributes] = sessionsAt(NOW).seal(session).split('; ');
    expect(attributes).toEqual([
      'Path=/queues',
      'Max-Age=600',
      'HttpOnly',
      'Secure',
      'SameSite=Strict',
    ]);
  });

  it('says who was let in, at every gateway that holds the key, among other cookies', () => {
    expect(sessionsAt(NOW + 1).open(`theme=dark; ${cookie()}; x=1`)).toEqual(session);
  });

  it('shows nobody whom it names', () => {
    expect(Buffer.from(cookie(), 'base64url').toString('latin1')).not.toContain('userId');
  });

  it('ends', () => {
    expect(sessionsAt(session.endsAt - 1).open(cookie())).toEqual(session);
    expect(sessionsAt(session.endsAt).open(cookie())).toBeUndefined();
  });

  it('is nobody’s once a byte of it is another one', () => {
    const [name, value] = cookie().split('=') as [string, string];
    const sealed = Buffer.from(value, 'base64url');
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 1;
      expect(sessionsAt(NOW).open(`${name}=${changed.toString('base64url')}`)).toBeUndefined();
    }
  });

  it.each([
    ['is none', undefined],
    ['is empty', ''],
    ['is of another name', cookie().replace('__Secure-', '')],
    ['has no value', '__Secure-countersign-queues='],
    ['is cut short', cookie().slice(0, -4)],
    ['is no seal', '__Secure-countersign-queues=AAAA'],
    ['is not base64url', `${cookie()}=`],
    ['is there twice', `${cookie()}; ${cookie()}`],
    ['is long', `${cookie()}${'A'.repeat(4_000)}`],
    ['was sealed for something else', sealedAs('cursors', JSON.stringify(session))],
    ['says something else', sealedAs('countersign queue session v1', '{"userId":"a"}')],
  ])('is nobody’s where it %s', (_, cookies) => {
    expect(sessionsAt(NOW).open(cookies)).toBeUndefined();
  });

  it('is nobody’s under another evidence key, or one that the vault has withdrawn', () => {
    const others = createEvidenceKeys([randomBytes(32)]);
    expect(sessionsAt(NOW, others).open(cookie())).toBeUndefined();
    const withdrawn = withoutDistrusted(keys, () => true);
    expect(sessionsAt(NOW, withdrawn).open(cookie())).toBeUndefined();
  });
});
