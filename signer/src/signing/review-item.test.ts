import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { digestOf, requestIdOf, type Evidence } from '@countersign/core/evidence.js';
import { sha256, uuidFromHash } from '@countersign/core/hash.js';
import type { SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import { apiKeySha256 } from '@countersign/vault/authentication/user-secrets.js';
import {
  EMPTY_STATE,
  type HumanUser,
  type Key,
  type MachineUser,
  type VaultState,
} from '@countersign/vault/state/state.js';
import { deleteRow, insertRow, replaceRow } from '@countersign/vault/state/table.js';
import { googleToken } from '../../../test/support/person.ts';
import {
  createSoftwarePasskey,
  TEST_ORIGIN,
  TEST_RP_ID,
} from '../../../test/support/software-authenticator.ts';
import { findDenial, isPostponed, reviewItem, reviewOverHead } from './review-item.js';

const NOW = Date.UTC(2026, 10, 22, 12);
const STAMPS = { createdAt: 1, createdBy: 'genesis', lastUpdatedAt: 1, lastUpdatedBy: 'genesis' };
const FREEZE = { at: NOW, by: 'x', reason: null };
const INVALID = { refused: 'unauthorized', message: 'the credentials are not valid' };

const idOf = (name: string) => uuidFromHash(sha256(name));
const bot = generateKeyPairSync('ed25519');

function rawPublicKey({ publicKey }: { readonly publicKey: KeyObject }): string {
  const { x } = publicKey.export({ format: 'jwk' });
  return Buffer.from(x ?? '', 'base64url').toString('base64');
}

const caller: MachineUser = {
  ...STAMPS,
  id: idOf('bot'),
  type: 'machine',
  displayName: 'bot',
  description: null,
  userGroupIds: [],
  frozen: null,
  apiKeySha256: apiKeySha256('api key'),
  publicKey: rawPublicKey(bot),
  publicKeySince: 1,
  expiresAt: null,
};

const key: Key = {
  ...STAMPS,
  id: idOf('key'),
  displayName: 'Key',
  description: null,
  type: 'ed25519',
  scheme: 'ed25519',
  custody: 'mpc',
  modulusBits: null,
  encoding: null,
  venueId: null,
  venueApiKey: null,
  labels: {},
  status: 'active',
  failure: null,
  frozen: null,
  version: 1,
  publicKey: Buffer.alloc(32, 1).toString('base64'),
  session: '',
  attestations: [],
  sealedParts: [],
  walletId: null,
};

const group = {
  ...STAMPS,
  id: idOf('group'),
  displayName: 'Group',
  vaultIds: null,
  members: [{ id: key.id, type: 'key' as const }],
  signingPolicyIds: [idOf('policy')],
};

const policy = {
  ...STAMPS,
  id: idOf('policy'),
  displayName: 'Policy',
  securityGroupId: group.id,
  version: 3,
  rules: [
    {
      id: idOf('rule'),
      displayName: 'All',
      enabled: true,
      when: { operations: ['raw_sign' as const], initiators: 'anyone' as const },
      then: 'allow' as const,
    },
  ],
};

/** The bot may sign with the key. */
const ALLOWING: VaultState = {
  ...EMPTY_STATE,
  seq: 7,
  headHash: 'ab'.repeat(32),
  users: insertRow(EMPTY_STATE.users, caller),
  keys: insertRow(EMPTY_STATE.keys, key),
  securityGroups: insertRow(EMPTY_STATE.securityGroups, group),
  signingPolicies: insertRow(EMPTY_STATE.signingPolicies, policy),
};

const FROZEN: VaultState = {
  ...ALLOWING,
  seq: 9,
  keys: replaceRow(ALLOWING.keys, { ...key, frozen: FREEZE }),
};

const withCaller = (change: Partial<MachineUser>): VaultState => ({
  ...ALLOWING,
  seq: 9,
  users: replaceRow(ALLOWING.users, { ...caller, ...change }),
});

function itemOf(change: Partial<Evidence> = {}, receivedAt = NOW): SignItem {
  const unsigned: Evidence = {
    method: 'POST',
    path: `/v1/keys/${key.id}/raw-sign`,
    query: '',
    body: Buffer.from(JSON.stringify({ message: '00ff', message_encoding: 'hex' })),
    scheme: 'ApiKey',
    credential: 'api key',
    timestampMs: NOW,
    nonce: randomBytes(8),
    assertion: Buffer.alloc(64),
    ...change,
  };
  const assertion = change.assertion ?? sign(null, digestOf(unsigned), bot.privateKey);
  const submission = '0a'.repeat(16);
  return { submission, receivedAt, nonce: 0n, evidence: { ...unsigned, assertion } };
}

describe('an item over one state', () => {
  it('is ready when policy allows it, as the state has it', () => {
    const item = itemOf();
    const { requestId, ledgerSeq, verdict } = reviewItem(ALLOWING, item, NOW);
    expect([requestId, ledgerSeq]).toEqual([requestIdOf(digestOf(item.evidence)), 7]);
    expect(verdict).toMatchObject({
      kind: 'ready',
      caller: { id: caller.id },
      signing: { key: { id: key.id }, policy: { id: policy.id, version: 3 } },
    });
  });

  it('is denied when its key is frozen', () => {
    const { verdict } = reviewItem(FROZEN, itemOf(), NOW);
    expect(verdict).toMatchObject({ kind: 'denied', refusal: { message: 'the key is frozen' } });
  });

  it.each<[string, SignItem]>([
    ['an unknown caller', itemOf({ credential: 'another' })],
    ['a request that is stale', itemOf({ timestampMs: NOW - 300_001 })],
    ['a request from the future', itemOf({ timestampMs: NOW + 300_001 })],
    ['one that waited for its time to live', itemOf({}, NOW - 30_000)],
    ['one that came long after it was signed', itemOf({ timestampMs: NOW - 299_000 }, NOW + 2_000)],
    ['an operation that signs nothing', itemOf({ path: '/v1/users' })],
    ['half an assertion', itemOf({ assertion: Buffer.alloc(32) })],
  ])('leaves no record of %s', (_what, item) => {
    expect(reviewItem(ALLOWING, item, NOW).verdict.kind).toBe('dropped');
  });

  it("leaves no record of a denial that is not the caller's own", () => {
    const forged = itemOf({ assertion: Buffer.alloc(64, 1) });
    expect(reviewItem(FROZEN, forged, NOW).verdict).toMatchObject({
      kind: 'dropped',
      refusal: INVALID,
    });
  });
});

describe('an item of a person', () => {
  const passkey = createSoftwarePasskey('eddsa', 'ada');
  const credential = googleToken('ada');
  const ada: HumanUser = {
    ...STAMPS,
    id: idOf('ada'),
    type: 'human',
    displayName: 'Ada',
    description: null,
    userGroupIds: [],
    frozen: null,
    email: 'ada@example.com',
    cloudProvider: 'gcp',
    enrollmentCodeSha256: null,
    identity: JSON.stringify(['gcp', 'ada']),
    credentialEpoch: 'first',
    passkeys: [
      {
        ...{ id: idOf('passkey'), displayName: null, createdAt: 1 },
        ...{ algorithm: 'eddsa', credentialId: passkey.credentialId },
        publicKey: passkey.publicKey.toString('base64'),
        ...{ backupEligible: true, backedUp: true },
      },
    ],
  };
  const state: VaultState = {
    ...ALLOWING,
    relyingParty: { rpId: TEST_RP_ID, origins: [TEST_ORIGIN] },
    users: insertRow(ALLOWING.users, ada),
  };
  const frozenKey = { ...state, keys: FROZEN.keys };
  const personal = (tokenVerified?: SignItem['tokenVerified'], by = passkey): SignItem => {
    const { evidence, ...item } = itemOf({ scheme: 'Bearer', credential });
    const assertion = by.assert(digestOf(evidence), ada.id);
    const verified = tokenVerified === undefined ? {} : { tokenVerified };
    return { ...item, evidence: { ...evidence, assertion }, ...verified };
  };

  it('is postponed, not refused, while the keys of its provider cannot be read', () => {
    const review = reviewItem(state, personal('unknown'), NOW);
    expect(review.verdict).toMatchObject({
      kind: 'dropped',
      refusal: { refused: 'gateway_timeout' },
    });
    expect(isPostponed(review)).toBe(true);
    expect(isPostponed(reviewItem(state, personal(false), NOW))).toBe(false);
  });

  it('is ready once this party has found the token good', () => {
    expect(reviewItem(state, personal(true), NOW).verdict).toMatchObject({
      kind: 'ready',
      caller: { id: ada.id },
      callerKey: { kind: 'passkeys' },
    });
  });

  it.each([
    ['a token that was not looked at', undefined],
    ['a token that is no good', false],
  ])('leaves no record with %s', (_what, verified) => {
    expect(reviewItem(state, personal(verified), NOW).verdict.kind).toBe('dropped');
  });

  it('is denied on record where the assertion is theirs, and on none where it is not', () => {
    expect(reviewItem(frozenKey, personal(true), NOW).verdict.kind).toBe('denied');
    const thief = createSoftwarePasskey('eddsa', 'ada');
    expect(reviewItem(frozenKey, personal(true, thief), NOW).verdict.kind).toBe('dropped');
  });

  it('is denied where a passkey was taken away beyond the head', () => {
    const later = replaceRow(state.users, { ...ada, credentialEpoch: 'second' });
    const beyond = [{ ...state, seq: 9, users: later }];
    expect(reviewOverHead(state, beyond, personal(true), NOW).verdict.kind).toBe('denied');
    const added = replaceRow(state.users, { ...ada, displayName: 'Ada L.' });
    const harmless = [{ ...state, seq: 9, users: added }];
    expect(reviewOverHead(state, harmless, personal(true), NOW).verdict.kind).toBe('ready');
  });
});

/** docs/reference/policies.md, `time`: how far a gateway that lies about the time of arrival can move a request. */
describe('a window of time', () => {
  const allowedIn = (time: object): VaultState => {
    const [rule] = policy.rules;
    const rules = [{ ...rule!, when: { ...rule!.when, time: { timeZone: 'UTC', ...time } } }];
    const within = { ...policy, rules } as typeof policy;
    return { ...ALLOWING, signingPolicies: replaceRow(ALLOWING.signingPolicies, within) };
  };
  const untilNoon = allowedIn({ from: '11:00', to: '12:00' });
  const fromNoon = allowedIn({ from: '12:00', to: '13:00' });
  const verdictOf = (state: VaultState, receivedAt: number, now: number) =>
    reviewItem(state, itemOf({}, receivedAt), now).verdict.kind;

  it('that is over is reached back to by less than 30 seconds', () => {
    expect(verdictOf(untilNoon, NOW - 1, NOW)).toBe('ready');
    expect(verdictOf(untilNoon, NOW - 1, NOW + 29_998)).toBe('ready');
    expect(verdictOf(untilNoon, NOW - 1, NOW + 29_999)).toBe('dropped');
    expect(verdictOf(untilNoon, NOW, NOW)).toBe('denied');
  });

  it('that is still to come is not reached at all', () => {
    for (const receivedAt of [NOW - 1, NOW, NOW + 20_000]) {
      expect(verdictOf(fromNoon, receivedAt, NOW - 1)).toBe('denied');
    }
    expect(verdictOf(fromNoon, NOW + 20_000, NOW)).toBe('ready');
  });

  it('is the same over what was seen beyond the head', () => {
    const at = NOW - 1;
    const over = (beyond: VaultState) =>
      reviewOverHead(ALLOWING, [beyond], itemOf({}, NOW + 20_000), at).verdict.kind;
    expect(over(untilNoon)).toBe('ready');
    expect(over(fromNoon)).toBe('denied');
  });
});

describe('an item over the head of its batch', () => {
  const over = (head: VaultState, beyond: readonly VaultState[], item = itemOf()) =>
    reviewOverHead(head, beyond, item, NOW).verdict;

  it('is ready when the head allows it and nothing beyond denies it', () => {
    expect(over(ALLOWING, []).kind).toBe('ready');
    const same = { ...ALLOWING, seq: 9, vaultId: 'x' };
    expect(over(ALLOWING, [same, same])).toMatchObject({
      kind: 'ready',
      caller: { id: caller.id },
    });
    expect(reviewOverHead(ALLOWING, [same], itemOf(), NOW).ledgerSeq).toBe(7);
  });

  it('is denied, on record, by what was seen beyond it, wherever that stands', () => {
    const denied = {
      kind: 'denied',
      callerId: caller.id,
      operationId: 'raw-sign-with-key',
      refusal: { refused: 'forbidden', message: 'the key is frozen' },
    };
    expect(over(ALLOWING, [FROZEN])).toMatchObject(denied);
    expect(over(ALLOWING, [ALLOWING, FROZEN])).toMatchObject(denied);
    expect(over(ALLOWING, [FROZEN, ALLOWING])).toMatchObject(denied);
  });

  it('is denied by its head though everything beyond allows it: what is seen may only deny', () => {
    expect(over(FROZEN, [ALLOWING])).toMatchObject({
      kind: 'denied',
      refusal: { message: 'the key is frozen' },
    });
    const noPolicy = {
      ...ALLOWING,
      securityGroups: replaceRow(ALLOWING.securityGroups, { ...group, signingPolicyIds: [] }),
    };
    expect(over(noPolicy, [ALLOWING]).kind).toBe('denied');
    const nobody = { ...ALLOWING, users: EMPTY_STATE.users };
    expect(over(nobody, [ALLOWING]).kind).toBe('dropped');
  });

  it("leaves no record of what is denied beyond the head and not the caller's own", () => {
    const forged = itemOf({ assertion: Buffer.alloc(64, 1) });
    expect(over(ALLOWING, [FROZEN], forged)).toMatchObject({ kind: 'dropped', refusal: INVALID });
  });
});

describe('a credential that was taken away beyond the head', () => {
  const other = generateKeyPairSync('ed25519');

  it.each<[string, VaultState]>([
    ['the caller was removed', { ...ALLOWING, users: deleteRow(ALLOWING.users, caller.id) }],
    ['the caller was frozen', withCaller({ frozen: FREEZE })],
    ['the caller has another public key', withCaller({ publicKey: rawPublicKey(other) })],
    ['the caller has another API key', withCaller({ apiKeySha256: apiKeySha256('another') })],
    ['the caller has expired', withCaller({ expiresAt: NOW })],
    [
      'the API key is somebody else’s',
      {
        ...ALLOWING,
        users: insertRow(deleteRow(ALLOWING.users, caller.id), { ...caller, id: idOf('eve') }),
      },
    ],
  ])('signs nothing: %s', (_what, beyond) => {
    const review = reviewItem(ALLOWING, itemOf(), NOW);
    expect(findDenial([beyond], review, NOW)).toMatchObject(INVALID);
    expect(findDenial([ALLOWING, beyond], review, NOW)).toMatchObject(INVALID);
    expect(reviewOverHead(ALLOWING, [beyond], itemOf(), NOW).verdict.kind).toBe('denied');
  });

  it('is good until it expires', () => {
    const review = reviewItem(ALLOWING, itemOf(), NOW);
    expect(findDenial([withCaller({ expiresAt: NOW + 1 })], review, NOW)).toBeUndefined();
  });

  it('denies nothing that was not ready', () => {
    expect(findDenial([FROZEN], reviewItem(FROZEN, itemOf(), NOW), NOW)).toBeUndefined();
  });
});
