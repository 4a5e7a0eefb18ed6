/** What frozen and expired callers are told, and what is spent on them. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { IncomingMessage } from 'node:http';
import { refuse, type Refusal } from '@countersign/core/errors.js';
import { digestOf, requestIdOf, type Evidence } from '@countersign/core/evidence.js';
import { apiKeySha256 } from '@countersign/vault/authentication/user-secrets.js';
import { EMPTY_STATE, type MachineUser } from '@countersign/vault/state/state.js';
import { insertRow } from '@countersign/vault/state/table.js';
import { findBarred, refuseBarred } from './barred-callers.js';
import type { RateLimits } from './rate-limits.js';

const NOW = 1_800_000_000_000;
const GENERIC = refuse('unauthorized', 'invalid credentials');
const TOO_OFTEN = refuse('gateway_timeout', 'too often');
const pair = generateKeyPairSync('ed25519');
const stranger = generateKeyPairSync('ed25519');
const publicKey = Buffer.from(pair.publicKey.export({ format: 'jwk' }).x!, 'base64url');

const user = (fields: Partial<MachineUser> = {}) =>
  ({
    ...{ id: 'bot', type: 'machine', displayName: 'Bot', userGroupIds: [], frozen: null },
    ...{ apiKeySha256: apiKeySha256('key'), publicKey: publicKey.toString('base64') },
    ...{ publicKeySince: 0, expiresAt: null },
    ...fields,
  }) as unknown as MachineUser;
const FROZEN = user({ frozen: { at: 1, by: 'x', reason: null } });
const EXPIRED = user({ expiresAt: NOW - 1 });

const credential = { scheme: 'ApiKey', credential: 'key' } as const;
const stateWith = (one: MachineUser) => ({
  ...EMPTY_STATE,
  users: insertRow(EMPTY_STATE.users, one),
});

describe('a caller who may do nothing', () => {
  it('is found by the credential, if frozen or expired', () => {
    for (const one of [FROZEN, EXPIRED, user({ expiresAt: NOW })]) {
      expect(findBarred(stateWith(one), credential, NOW)).toBe(one);
    }
    for (const one of [user(), user({ expiresAt: NOW + 1 })]) {
      expect(findBarred(stateWith(one), credential, NOW)).toBeUndefined();
    }
    const other = { ...credential, credential: 'another' };
    expect(findBarred(stateWith(FROZEN), other, NOW)).toBeUndefined();
  });
});

let log: string[];
let refusing: { attempt?: Refusal; failing?: Refusal; signed?: Refusal };
let takes: boolean;

beforeEach(() => {
  [log, refusing, takes] = [[], {}, true];
});

const limits = {
  refuseAttempt: () => refusing.attempt,
  refuseFailing: () => refusing.failing,
  refuseSigned() {
    log.push('counted');
    return refusing.signed;
  },
  noteFailure: () => void log.push('failure'),
} as unknown as RateLimits;

interface Asked {
  readonly by?: typeof pair;
  readonly timestampMs?: number;
  readonly body?: Buffer | Refusal;
  readonly isUnwatched?: boolean;
}

function ask(one: MachineUser, asked: Asked = {}): Promise<Refusal> {
  const { by = pair, timestampMs = NOW, body = Buffer.from('{}'), isUnwatched = false } = asked;
  const unsigned: Evidence = {
    ...{ method: 'POST', path: '/v1/keys/k/sign', query: '', body: Buffer.from('{}') },
    ...{ ...credential, timestampMs, nonce: Buffer.alloc(8), assertion: Buffer.alloc(0) },
  };
  const digest = digestOf(unsigned);
  const assertion = sign(null, digest, by.privateKey);
  const deps = {
    state: () => stateWith(one),
    limits,
    now: () => NOW,
    ...(!isUnwatched && {
      frozenAttempts: {
        takes: () => takes,
        record: async (callerId: string, requestId: string) =>
          void log.push(`record ${callerId} ${requestId === requestIdOf(digest)}`),
      },
    }),
  };
  return refuseBarred(deps, one, GENERIC, {
    message: { method: 'POST' } as IncomingMessage,
    target: { path: '/v1/keys/k/sign', query: '' } as never,
    headers: { ...credential, timestampMs, nonce: Buffer.alloc(8), assertion },
    intake: {
      source: 'here',
      async readBody() {
        log.push('read');
        return body;
      },
      nameRequest: (id) => void log.push(`named ${id === requestIdOf(digest)}`),
    },
  });
}

describe('a frozen caller', () => {
  it('learns nothing, and is put on record by a right assertion', async () => {
    expect(await ask(FROZEN)).toBe(GENERIC);
    expect(log).toEqual(['read', 'counted', 'named true', 'record bot true']);
  });

  it('is nobody by a wrong one, which counts as a failure', async () => {
    expect(await ask(FROZEN, { by: stranger })).toBe(GENERIC);
    expect(log).toEqual(['read', 'failure']);
  });

  it('costs nothing where no more would be written down, or nobody writes', async () => {
    takes = false;
    expect(await ask(FROZEN)).toBe(GENERIC);
    expect(await ask(FROZEN, { isUnwatched: true })).toBe(GENERIC);
    expect(log).toEqual([]);
  });

  it('whose user has expired as well is told no more than that', async () => {
    expect(await ask({ ...FROZEN, expiresAt: NOW - 1 })).toBe(GENERIC);
  });
});

describe('an expired caller', () => {
  it('is told so by a right assertion, and is on no record', async () => {
    expect(await ask(EXPIRED)).toMatchObject({
      refused: 'unauthorized',
      message: expect.stringContaining('your user expired at 2027-01-15T07:59:59.999Z'),
    });
    expect(log).toEqual(['read', 'counted', 'named true']);
  });

  it('is told nothing by a wrong one', async () => {
    expect(await ask(EXPIRED, { by: stranger })).toBe(GENERIC);
    expect(log).toEqual(['read', 'failure']);
  });

  it('is told nothing where the time is stale, or too much was tried, before a body is read', async () => {
    for (const timestampMs of [NOW - 3_600_000, NOW + 3_600_000]) {
      expect(await ask(EXPIRED, { timestampMs })).toBe(GENERIC);
    }
    refusing.attempt = TOO_OFTEN;
    expect(await ask(EXPIRED)).toBe(GENERIC);
    expect(log).toEqual([]);
  });

  it('is told nothing where the body does not come, or too many checks failed meanwhile', async () => {
    expect(await ask(EXPIRED, { body: refuse('parse_error', 'too large') })).toBe(GENERIC);
    refusing.failing = TOO_OFTEN;
    expect(await ask(EXPIRED)).toBe(GENERIC);
    expect(log).toEqual(['read', 'read']);
  });

  it('is told to wait where it asks too often', async () => {
    refusing.signed = TOO_OFTEN;
    expect(await ask(EXPIRED)).toBe(TOO_OFTEN);
    expect(await ask(FROZEN)).toBe(TOO_OFTEN);
    expect(log.filter((line) => line.startsWith('record'))).toEqual([]);
  });
});
