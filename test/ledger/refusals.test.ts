import { describe, expect, it } from '@jest/globals';
import { TIMESTAMP_WINDOW_MS } from '@countersign/vault/authentication/authenticate.js';
import type { ErrType } from '@countersign/core/errors.js';
import { decodeSealedEvidence } from '@countersign/core/evidence.js';
import { sealEvidence } from '@countersign/core/write-evidence.js';
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import { UnknownEvidenceKeyError } from '@countersign/core/evidence-seal.js';
import { encodeEvidenceEntry, encodeGenesis } from '@countersign/vault/ledger/write-entry.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import { stateHash } from '@countersign/vault/state/state-hash.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import {
  createLedgerBuilder,
  rawPublicKey,
  START,
  testGenesis,
  testPrivateKey,
  testSecret,
  testUser,
  type LedgerBuilder,
} from '../support/ledger-builder.ts';

/** The state without what every entry moves, refused ones included. */
function governance(state: VaultState): VaultState {
  return { ...state, seq: 0, headHash: '' };
}

/** Appends by `act` and expects a refusal that left everything as it was, in value and in memory. */
function expectRefused(
  ledger: LedgerBuilder,
  act: () => EntryOutcome,
  refused: ErrType,
  message: RegExp,
): void {
  const before = ledger.state;
  const outcome = act();
  expect(outcome.refusal).toMatchObject({
    refused,
    message: expect.stringMatching(message) as unknown,
  });
  expect(outcome.seq).toBe(before.seq + 1);
  expect(outcome.subject).toBeUndefined();
  expect(ledger.state.seq).toBe(ledger.rows.length);
  expect(ledger.state.headHash).not.toBe(before.headHash);
  const [was, is] = [governance(before), governance(ledger.state)];
  expect(stateHash(is)).toBe(stateHash(was));
  for (const field of Object.keys(was) as (keyof VaultState)[]) expect(is[field]).toBe(was[field]);
}

const NEW_VAULT = ['POST', '/v1/vaults', { display_name: 'Desk' }] as const;

describe('a refused entry changes nothing', () => {
  it('whose assertion is one bit off', () => {
    const ledger = createLedgerBuilder();
    for (const bit of [0, 255, 256, 511]) {
      const evidence = ledger.evidenceOf(ledger.admin, ...NEW_VAULT);
      const assertion = Buffer.from(evidence.assertion);
      assertion[bit >> 3]! ^= 1 << (bit & 7);
      const append = () => ledger.appendEvidence({ ...evidence, assertion });
      expectRefused(ledger, append, 'unauthorized', /credentials/);
    }
  });

  it.each([
    ['method', { method: 'PUT' }],
    ['path', { path: '/v1/user-groups' }],
    ['query', { query: 'a=1' }],
    ['body', { body: Buffer.from('{"display_name":"Other"}') }],
    ['timestamp', { timestampMs: START + 2_000 }],
    ['nonce', { nonce: Buffer.alloc(8) }],
    ['scheme', { scheme: 'Bearer' as const }],
    ['assertion, cut short', { assertion: Buffer.alloc(63) }],
    ['assertion, absent', { assertion: Buffer.alloc(0) }],
  ])('whose %s is not what was signed', (_what, change) => {
    const ledger = createLedgerBuilder();
    const evidence = ledger.evidenceOf(ledger.admin, ...NEW_VAULT);
    const before = governance(ledger.state);
    const outcome = ledger.appendEvidence({ ...evidence, ...change });
    expect(['unauthorized', 'not_found']).toContain(outcome.refusal?.refused);
    expect(governance(ledger.state)).toEqual(before);
  });

  it('by an API key that nobody has', () => {
    const ledger = createLedgerBuilder();
    const append = () => ledger.send(testUser('stranger'), ...NEW_VAULT);
    expectRefused(ledger, append, 'unauthorized', /credentials/);
  });

  it("by one user's key with another user's signature", () => {
    const ledger = createLedgerBuilder();
    const bot = ledger.addMachine('Bot');
    const mixed = { ...ledger.admin, privateKey: bot.privateKey };
    const append = () => ledger.send(mixed, ...NEW_VAULT);
    expectRefused(ledger, append, 'unauthorized', /credentials/);
  });

  it('by a user without the right', () => {
    const ledger = createLedgerBuilder();
    const bot = ledger.addMachine('Bot', ['manage_users']);
    expectRefused(ledger, () => ledger.send(bot, ...NEW_VAULT), 'forbidden', /create_vaults/);
  });

  it('by a user whose API key was rotated away', () => {
    const ledger = createLedgerBuilder();
    const bot = ledger.addMachine('Bot', ['create_vaults']);
    const rotated = ledger.send(ledger.admin, 'PUT', `/v1/users/${bot.id}`, {
      rotate_api_key: true,
    });
    expectRefused(ledger, () => ledger.send(bot, ...NEW_VAULT), 'unauthorized', /credentials/);
    const renewed = { ...bot, apiKey: ledger.apiKeyOf(rotated) };
    expect(ledger.send(renewed, ...NEW_VAULT).refusal).toBeUndefined();
  });

  it('by a frozen user, and by the same user once unfrozen it is accepted', () => {
    const ledger = createLedgerBuilder();
    const bot = ledger.addMachine('Bot', ['create_vaults']);
    ledger.must(ledger.admin, 'POST', `/v1/users/freeze?user_ids=${bot.id}`);
    expectRefused(ledger, () => ledger.send(bot, ...NEW_VAULT), 'unauthorized', /credentials/);
    ledger.must(ledger.admin, 'POST', `/v1/users/unfreeze?user_ids=${bot.id}`);
    expect(ledger.send(bot, ...NEW_VAULT).refusal).toBeUndefined();
  });

  it('by an expired user', () => {
    const ledger = createLedgerBuilder();
    const bot = ledger.addMachine('Bot', ['create_vaults']);
    ledger.must(ledger.admin, 'PUT', `/v1/users/${bot.id}`, {
      expires_at: new Date(ledger.now + 60_000).toISOString(),
    });
    ledger.now += 60_000;
    expectRefused(ledger, () => ledger.send(bot, ...NEW_VAULT), 'unauthorized', /credentials/);
  });

  it('by a deleted user', () => {
    const ledger = createLedgerBuilder();
    const bot = ledger.addMachine('Bot');
    ledger.must(ledger.admin, 'DELETE', `/v1/users?user_ids=${bot.id}`);
    expectRefused(ledger, () => ledger.send(bot, ...NEW_VAULT), 'unauthorized', /credentials/);
  });

  it('while the system is frozen, unless it freezes or unfreezes', () => {
    const ledger = createLedgerBuilder();
    ledger.must(ledger.admin, 'POST', '/v1/system/freeze', { reason: 'drill' });
    const append = () => ledger.send(ledger.admin, ...NEW_VAULT);
    expectRefused(ledger, append, 'forbidden', /system is frozen/);
    const freeze = ledger.send(ledger.admin, 'POST', '/v1/keys/freeze?venue_id=kraken');
    expect(freeze.refusal).toBeUndefined();
    ledger.must(ledger.admin, 'POST', '/v1/system/unfreeze');
    expect(ledger.send(ledger.admin, ...NEW_VAULT).refusal).toBeUndefined();
  });

  it('that repeats a query that is only read', () => {
    const ledger = createLedgerBuilder();
    const append = () => ledger.send(ledger.admin, 'GET', '/v1/vaults');
    expectRefused(ledger, append, 'not_found', /no such operation/);
  });

  it('that is a second genesis', () => {
    const ledger = createLedgerBuilder();
    const genesis = encodeGenesis(ledger.now, testGenesis(testUser('usurper')));
    expectRefused(ledger, () => ledger.append(genesis), 'resource_conflict', /genesis/);
  });

  it.each([
    ['empty', Buffer.alloc(0)],
    ['of an unknown kind', Buffer.concat([Buffer.from([9]), Buffer.alloc(64)])],
    ['cut short', encodeGenesis(START, testGenesis(testUser('usurper'))).subarray(0, -1)],
    [
      'followed by a byte',
      Buffer.concat([encodeGenesis(START, testGenesis(testUser('usurper'))), Buffer.alloc(1)]),
    ],
    ['dated beyond safe integers', Buffer.concat([Buffer.from([2]), Buffer.alloc(12, 0xff)])],
  ])('that is unreadable: %s', (_what, body) => {
    const ledger = createLedgerBuilder();
    expectRefused(ledger, () => ledger.append(body), 'parse_error', /unreadable/);
    expect(ledger.outcomes.at(-1)?.kind).toBe('unreadable');
  });

  it('whose sealed credential was damaged', () => {
    const ledger = createLedgerBuilder();
    const evidence = ledger.evidenceOf(ledger.admin, ...NEW_VAULT);
    const body = encodeEvidenceEntry(ledger.now, evidence, ledger.keys);
    // the tag's last byte stands before timestamp, nonce and the assertion with its length
    body[body.length - (8 + 8 + 4 + 64) - 1]! ^= 1;
    expectRefused(ledger, () => ledger.append(body), 'unauthorized', /does not open/);
  });

  it('whose sealed credential was moved from another request', () => {
    const ledger = createLedgerBuilder();
    const [one, two] = [1, 2].map(() => ledger.evidenceOf(ledger.admin, ...NEW_VAULT));
    const { sealedCredential } = decodeSealedEvidence(
      sealEvidence(one!, { seal: ledger.keys.sealEntry }),
    );
    const seals = { sealEntry: () => sealedCredential };
    const body = encodeEvidenceEntry(ledger.now, two!, seals);
    expectRefused(ledger, () => ledger.append(body), 'unauthorized', /does not open/);
  });

  it('whose body breaks its schema', () => {
    const ledger = createLedgerBuilder();
    const append = () => ledger.send(ledger.admin, 'POST', '/v1/vaults', { name: 'Desk' });
    expectRefused(ledger, append, 'invalid_inputs', /display_name/);
  });

  it('with an expiry that is in the year 10000 where UTC counts', () => {
    const ledger = createLedgerBuilder();
    const userWith = (expires: string) => () =>
      ledger.send(ledger.admin, 'POST', '/v1/users', {
        ...{ type: 'machine', display_name: 'bot', expires_at: expires },
        public_key: rawPublicKey(testPrivateKey('bot')).toString('base64url'),
      });
    const far = userWith('9999-12-31T23:59:59-01:00');
    expectRefused(ledger, far, 'invalid_inputs', /expires_at/);
    expect(userWith('9999-12-31T23:59:59Z')().refusal).toBeUndefined();
  });

  it('that would leave nobody who can change the administrative policy', () => {
    const ledger = createLedgerBuilder();
    const { id } = testGenesis(ledger.admin).admin_policies.find(
      (policy) => policy.action === 'manage_admin_policies',
    )!;
    const append = () => ledger.send(ledger.admin, 'DELETE', `/v1/admin-policies/${id}`);
    expectRefused(ledger, append, 'resource_conflict', /nobody would be left who can change/);
  });

  it('that would leave nobody who can end a freeze of the system', () => {
    const ledger = createLedgerBuilder();
    const { admin } = ledger;
    const officer = ledger.addMachine('officer', ['unfreeze']);
    const { id } = testGenesis(admin).admin_policies.find(({ action }) => action === 'unfreeze')!;
    ledger.must(admin, 'DELETE', `/v1/admin-policies/${id}`);
    ledger.must(admin, 'POST', '/v1/system/freeze', {});
    const append = () => ledger.send(admin, 'POST', `/v1/users/freeze?user_ids=${officer.id}`, {});
    expectRefused(ledger, append, 'resource_conflict', /nobody would be left who can unfreeze/);
    ledger.must(officer, 'POST', '/v1/system/unfreeze', {});
    const [kept] = [...ledger.state.adminPolicies.rows.values()].filter(
      ({ action }) => action === 'unfreeze',
    );
    const remove = () => ledger.send(admin, 'DELETE', `/v1/admin-policies/${kept!.id}`);
    expectRefused(ledger, remove, 'resource_conflict', /nobody would be left who can unfreeze/);
  });
});

describe('the time at which two parties judge', () => {
  it.each([
    ['five minutes after the request', TIMESTAMP_WINDOW_MS, true],
    ['a millisecond more', TIMESTAMP_WINDOW_MS + 1, false],
    ['five minutes before the request', -TIMESTAMP_WINDOW_MS, true],
    ['a millisecond less', -TIMESTAMP_WINDOW_MS - 1, false],
  ])('an entry judged %s', (_what, offset, accepted) => {
    const ledger = createLedgerBuilder();
    const judgedAt = ledger.now + 3_600_000;
    const options = { timestampMs: judgedAt - offset };
    const evidence = ledger.evidenceOf(ledger.admin, ...NEW_VAULT, options);
    const append = () => ledger.appendEvidence(evidence, judgedAt);
    if (!accepted) expectRefused(ledger, append, 'unauthorized', /5 minutes/);
    else {
      expect(append().refusal).toBeUndefined();
      expect(ledger.state.time).toBe(judgedAt);
    }
  });

  it('is theirs alone: no date that a request bears puts it out of reach', () => {
    const ledger = createLedgerBuilder();
    const timestampMs = Date.UTC(2099, 0, 1);
    for (const user of [testUser('stranger'), ledger.admin]) {
      const evidence = ledger.evidenceOf(user, ...NEW_VAULT, { timestampMs });
      expect(
        ledger.append(encodeEvidenceEntry(timestampMs, evidence, ledger.keys)).refusal,
      ).toBeDefined();
      expect(ledger.state.time).toBeLessThan(START + 60_000);
    }
    expect(ledger.send(ledger.admin, ...NEW_VAULT).refusal).toBeUndefined();
  });

  it.each([
    ['held back for years', -5 * 365 * 86_400_000],
    ['dated ahead', 5 * 365 * 86_400_000],
  ])('does not matter to a freeze that was %s: it only takes away', (_what, offset) => {
    const ledger = createLedgerBuilder();
    const options = { timestampMs: ledger.now + offset };
    const evidence = ledger.evidenceOf(
      ledger.admin,
      'POST',
      '/v1/system/freeze',
      undefined,
      options,
    );
    expect(ledger.appendEvidence(evidence).refusal).toBeUndefined();
    expect(ledger.state.systemFreeze).not.toBeNull();
  });
});

describe('replay', () => {
  it('the same evidence appended twice: the second is refused', () => {
    const ledger = createLedgerBuilder();
    const evidence = ledger.evidenceOf(ledger.admin, 'POST', '/v1/system/freeze');
    expect(ledger.appendEvidence(evidence).refusal).toBeUndefined();
    ledger.must(ledger.admin, 'POST', '/v1/system/unfreeze');
    expectRefused(ledger, () => ledger.appendEvidence(evidence), 'unauthorized', /nonce/);
    expect(ledger.state.systemFreeze).toBeNull();
  });

  it('the same entry body appended twice: the second is refused', () => {
    const ledger = createLedgerBuilder();
    const evidence = ledger.evidenceOf(ledger.admin, ...NEW_VAULT);
    const body = encodeEvidenceEntry(ledger.now, evidence, ledger.keys);
    expect(ledger.append(body).refusal).toBeUndefined();
    expectRefused(ledger, () => ledger.append(body), 'unauthorized', /nonce/);
  });

  it('a nonce is remembered for good, whoever used it and whatever for', () => {
    const ledger = createLedgerBuilder();
    const bot = ledger.addMachine('Bot', ['create_vaults']);
    const nonce = Buffer.from('0102030405060708', 'hex');
    ledger.appendEvidence(ledger.evidenceOf(ledger.admin, ...NEW_VAULT, { nonce }));
    ledger.now += 10 * 365 * 86_400_000;
    const other = { display_name: 'Another desk' };
    const late = ledger.evidenceOf(bot, 'POST', '/v1/vaults', other, { nonce });
    expectRefused(ledger, () => ledger.appendEvidence(late), 'unauthorized', /nonce/);
    expect(ledger.state.nonces.has('0102030405060708')).toBe(true);
  });

  it('what was refused uses up no nonce: nobody can spoil another request', () => {
    const ledger = createLedgerBuilder();
    const nonce = Buffer.from('1112131415161718', 'hex');
    ledger.appendEvidence(ledger.evidenceOf(testUser('stranger'), ...NEW_VAULT, { nonce }));
    const evidence = ledger.evidenceOf(ledger.admin, ...NEW_VAULT, { nonce });
    expect(ledger.appendEvidence(evidence).refusal).toBeUndefined();
  });
});

describe('before and without', () => {
  it('a genesis, nothing is accepted', () => {
    const ledger = createLedgerBuilder({ genesis: false });
    const append = () => ledger.send(ledger.admin, ...NEW_VAULT);
    expectRefused(ledger, append, 'forbidden', /no genesis/);
    // and what was not first can never be the genesis
    const late = () => ledger.append(encodeGenesis(START, testGenesis(ledger.admin)));
    expectRefused(ledger, late, 'resource_conflict', /genesis/);
  });

  it('a declared evidence key, an entry is refused', () => {
    const ledger = createLedgerBuilder();
    const evidence = ledger.evidenceOf(ledger.admin, ...NEW_VAULT);
    const other = createEvidenceKeys([testSecret('another evidence key')]);
    const append = () => ledger.append(encodeEvidenceEntry(ledger.now, evidence, other));
    expectRefused(ledger, append, 'unauthorized', /not declared/);
  });

  it('a declared evidence key of its own, a node stops rather than guess', () => {
    const ledger = createLedgerBuilder();
    ledger.must(ledger.admin, ...NEW_VAULT);
    const fold = createFold({ keys: createEvidenceKeys([testSecret('another evidence key')]) });
    expect(() => fold.advance(ledger.rows)).toThrow(UnknownEvidenceKeyError);
  });
});

describe('a display name', () => {
  const NAMED: readonly [path: string, body: (ledger: LedgerBuilder) => object][] = [
    ['/v1/vaults', () => ({})],
    ['/v1/user-groups', () => ({})],
    ['/v1/security-groups', () => ({})],
    ['/v1/keys', () => ({ type: 'ed25519' })],
    ['/v1/address-lists', () => ({ entries: [{ address: 'a', display_name: 'A' }] })],
    ['/v1/webhooks', () => ({ url: 'https://hooks.example.com/', events: ['freeze.changed'] })],
    [
      '/v1/admin-policies',
      ({ admin }) => ({ action: 'freeze', effect: 'allow', subjects: { user_ids: [admin.id] } }),
    ],
    [
      '/v1/signing-policies',
      ({ state }) => ({
        security_group_id: [...state.securityGroups.rows.keys()][0],
        rules: [{ display_name: 'Desk', when: {}, then: 'deny' }],
      }),
    ],
  ];

  it('belongs to one vault, user group or security group, and to any number of everything else', () => {
    const ledger = createLedgerBuilder();
    const again = NAMED.filter(([path, body]) => {
      const send = (display_name: string) =>
        ledger.send(ledger.admin, 'POST', path, { display_name, ...body(ledger) }).refusal;
      expect([path, send('Desk')]).toEqual([path, undefined]);
      const refusal = send('DESK');
      expect(refusal?.refused ?? 'resource_conflict').toBe('resource_conflict');
      return refusal === undefined;
    });
    expect(again.map(([path]) => path)).toEqual([
      '/v1/keys',
      '/v1/address-lists',
      '/v1/webhooks',
      '/v1/admin-policies',
      '/v1/signing-policies',
    ]);
  });
});
