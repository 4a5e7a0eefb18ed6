/** People in the ledger: enrolment, passkeys, and what no token alone can do. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { HumanUser } from '@countersign/vault/state/state.js';
import { findByEnrollmentCode } from '@countersign/vault/authentication/enrolment-code.js';
import { ENROLLMENT_LIFE_MS } from '@countersign/vault/authentication/user-secrets.js';
import { createdUserView, userFullView } from '@countersign/vault/views/user-view.js';
import { createLedgerBuilder, type LedgerBuilder } from '../support/ledger-builder.ts';
import {
  addPerson,
  codeOf,
  enrolmentBody,
  googleToken,
  ownEnrollmentCode,
  TEST_PASSKEYS,
  unsignedToken,
  type LedgerPerson,
} from '../support/person.ts';
import { createSoftwarePasskey, UP, UV } from '../support/software-authenticator.ts';

let ledger: LedgerBuilder;
let ada: LedgerPerson;
beforeEach(() => {
  ledger = createLedgerBuilder({ passkeys: TEST_PASSKEYS });
  ada = addPerson(ledger, ledger.admin, 'ada');
});

const row = (id = ada.id) => ledger.state.users.rows.get(id) as HumanUser;
const allow = (userId: string, action: string) =>
  ledger.must(ledger.admin, 'POST', '/v1/admin-policies', {
    display_name: `${userId} ${action}`,
    action,
    effect: 'allow',
    subjects: { user_ids: [userId] },
  });
const indexes = () => {
  const { byEnrollmentCode, byIdentity, byPasskey } = ledger.state.users.indexes;
  return {
    codes: byEnrollmentCode.size,
    identities: [...byIdentity.values()],
    passkeys: byPasskey.keySeq().toArray(),
  };
};
const NEW_VAULT = { display_name: 'a vault of hers' };

describe('enrolment', () => {
  it('binds identity and passkey, and uses the code up', () => {
    expect(ada.enrol().refusal).toBeUndefined();
    expect(indexes()).toEqual({
      codes: 0,
      identities: [ada.id],
      passkeys: [ada.passkey.credentialId],
    });
    expect(row()).toMatchObject({
      identity: JSON.stringify(['gcp', 'subject of ada']),
      enrollmentCodeSha256: null,
      passkeys: [{ credentialId: ada.passkey.credentialId, backupEligible: true, backedUp: true }],
    });
    expect(userFullView(ledger.state, row(), ledger.now)).toMatchObject({
      status: 'active',
      credentials: [{ type: 'passkey', backup_eligible: true, backed_up: true }],
    });
    expect(ada.enrol().refusal).toMatchObject({ refused: 'unauthorized' });
  });

  it.each<[string, () => ReturnType<LedgerPerson['enrol']>]>([
    ['another code', () => ada.enrol({}, enrolmentBody('x'.repeat(24), ada.id, ada.passkey))],
    [
      'a proof for another passkey',
      () => {
        const other = createSoftwarePasskey('eddsa', 'thief');
        const { enrollment } = enrolmentBody(ada.code, ada.id, ada.passkey);
        return ada.enrol({ passkey: other }, { ...other.registration(), enrollment });
      },
    ],
    [
      'an assertion by another passkey',
      () => ada.enrol({ passkey: createSoftwarePasskey('eddsa', 'other') }),
    ],
    [
      'a registration of a passkey without user verification',
      () => ada.enrol({}, enrolmentBody(ada.code, ada.id, ada.passkey, { flags: UP })),
    ],
    ['an assertion without user verification', () => ada.enrol({ lie: { flags: UP } })],
    [
      'a passkey of another RP id',
      () =>
        ada.enrol({}, enrolmentBody(ada.code, ada.id, ada.passkey, { rpId: 'evil.example.com' })),
    ],
    [
      'a token of the other provider',
      () =>
        ada.enrol({
          token: unsignedToken({
            iss: 'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0',
            tid: '11111111-2222-3333-4444-555555555555',
            ...{ oid: 'o', sub: 's' },
          }),
        }),
    ],
    ['no token', () => ada.enrol({ token: 'none' })],
    ['a stale timestamp', () => ada.enrol({ timestampMs: ledger.now - 301_000 })],
    ['an unknown user', () => ada.enrol({}, enrolmentBody(ada.code, ledger.admin.id, ada.passkey))],
  ])('is refused with %s', (_name, enrol) => {
    const before = row();
    expect(enrol().refusal).toBeDefined();
    expect(row()).toBe(before);
  });

  it('is refused to a frozen person', () => {
    ledger.must(ledger.admin, 'POST', `/v1/users/freeze?user_ids=${ada.id}`, {});
    expect(ada.enrol().refusal).toMatchObject({ refused: 'unauthorized' });
  });

  it('is open to a gateway, which can derive the code, until the person has enrolled', () => {
    const own = createSoftwarePasskey('eddsa', 'of a gateway');
    const forged = { token: googleToken('nobody signed this'), passkey: own };
    const body = (of: LedgerPerson) => enrolmentBody(of.code, of.id, own);
    ada.enrol();
    expect(ada.enrol(forged, body(ada)).refusal).toMatchObject({ refused: 'unauthorized' });
    const bob = addPerson(ledger, ledger.admin, 'bob');
    expect(bob.enrol(forged, body(bob)).refusal).toBeUndefined();
    // which is seen by who compares, before giving any right
    expect(userFullView(ledger.state, row(bob.id), 0).status).toBe('active');
    expect(bob.enrol().refusal).toBeDefined();
  });

  describe('with a token that names somebody else', () => {
    const identityOf = (name: string) => ({
      identity: { issuer: 'https://accounts.google.com', subject: `subject of ${name}` },
    });
    const asAda = () => ({ token: ada.token });

    it('is refused where an administrator has named who that is', () => {
      const eve = addPerson(ledger, ledger.admin, 'eve', identityOf('eve'));
      const mallory = addPerson(ledger, ledger.admin, 'mallory');
      // neither takes another's identity, nor lets another in by this one's code
      expect(mallory.enrol({ token: eve.token }).refusal).toMatchObject({
        refused: 'unauthorized',
      });
      expect(eve.enrol({ token: mallory.token }).refusal).toMatchObject({
        refused: 'unauthorized',
      });
      expect(eve.enrol().refusal).toBeUndefined();
      expect(mallory.enrol().refusal).toBeUndefined();
    });

    it('shuts out whom nobody has named, until the user that holds the identity is deleted', () => {
      const mallory = addPerson(ledger, ledger.admin, 'mallory');
      expect(mallory.enrol(asAda()).refusal).toBeUndefined();
      expect(ada.enrol().refusal).toMatchObject({ refused: 'unauthorized' });
      const named = { type: 'human', display_name: 'Ada', email: 'a@example.com' };
      const body = { ...named, cloud_provider: 'gcp', ...identityOf('ada') };
      expect(ledger.send(ledger.admin, 'POST', '/v1/users', body).refusal).toEqual({
        refused: 'resource_conflict',
        message: `identity: is that of user ${mallory.id}`,
      });
      ledger.must(ledger.admin, 'DELETE', `/v1/users?user_ids=${mallory.id}`);
      expect(ada.enrol().refusal).toBeUndefined();
      expect(row().identity).toBe(JSON.stringify(['gcp', 'subject of ada']));
    });

    it('names a person at the provider that the user is of', () => {
      const tenant = '11111111-2222-3333-4444-555555555555';
      const issuer = `https://login.microsoftonline.com/${tenant}/v2.0`;
      const identity = { issuer, subject: 'object' };
      const body = { type: 'human', display_name: 'Eve', email: 'eve@example.com', identity };
      const make = (provider: string) =>
        ledger.send(ledger.admin, 'POST', '/v1/users', { ...body, cloud_provider: provider });
      expect(make('gcp').refusal).toMatchObject({ refused: 'invalid_inputs' });
      expect(row(make('azure').subject!.resourceIds[0]).identity).toBe(
        JSON.stringify(['azure', tenant, 'object']),
      );
    });
  });

  it('is over 72 hours after the code was made, until there is another one', () => {
    expect(userFullView(ledger.state, row(), 0)).toMatchObject({
      enrollment_expires_at: new Date(row().createdAt + ENROLLMENT_LIFE_MS).toISOString(),
    });
    ledger.now = row().createdAt + ENROLLMENT_LIFE_MS - 1;
    const inTime = ada.enrol();
    expect(inTime.refusal).toBeUndefined();
    expect(row().enrollmentUntil).toBeUndefined();
    const bob = addPerson(ledger, ledger.admin, 'bob');
    ledger.now = row(bob.id).createdAt + ENROLLMENT_LIFE_MS;
    expect(bob.enrol().refusal).toMatchObject({ refused: 'unauthorized' });
    const search = [ledger.state, bob.token, bob.code] as const;
    const until = row(bob.id).enrollmentUntil!;
    expect(findByEnrollmentCode(...search, until)).toMatchObject({ refused: 'unauthorized' });
    expect(findByEnrollmentCode(...search, until - 1)).toMatchObject({ id: bob.id });
    const reset = ledger.send(ledger.admin, 'PUT', `/v1/users/${bob.id}`, { reset_passkeys: true });
    const body = enrolmentBody(codeOf(ledger, reset), bob.id, bob.passkey);
    expect(bob.enrol({}, body).refusal).toBeUndefined();
  });

  it('is closed to a gateway where the administrator made the code: nobody else can derive it', () => {
    const own = ownEnrollmentCode(Buffer.alloc(32, 7));
    const bob = addPerson(ledger, ledger.admin, 'bob', { enrollment_public_key: own.publicKey });
    const thief = createSoftwarePasskey('eddsa', 'of a gateway');
    const forged = { token: googleToken('nobody signed this'), passkey: thief };
    const key = Buffer.from(own.publicKey, 'base64url').toString('base64');
    const guesses = [bob.code, key, own.publicKey].map((c) => enrolmentBody(c, bob.id, thief));
    const moved = {
      ...thief.registration(),
      enrollment: own.bodyOf(bob.id, bob.passkey)['enrollment'],
    };
    const other = ownEnrollmentCode(Buffer.alloc(32, 8)).bodyOf(bob.id, thief);
    for (const body of [...guesses, moved, other]) {
      expect(bob.enrol(forged, body).refusal).toMatchObject({ refused: 'unauthorized' });
    }
    expect(findByEnrollmentCode(ledger.state, bob.token, key, ledger.now)).toMatchObject({
      id: bob.id,
    });
    expect(bob.enrol({}, own.bodyOf(bob.id, bob.passkey)).refusal).toBeUndefined();
    expect(row(bob.id)).toMatchObject({ enrollmentCodeSha256: null });
    expect(row(bob.id).enrollmentKey).toBeUndefined();
    const reset = { reset_passkeys: true, enrollment_public_key: own.publicKey };
    ledger.must(ledger.admin, 'PUT', `/v1/users/${bob.id}`, reset);
    expect(bob.enrol({}, own.bodyOf(bob.id, thief)).refusal).toMatchObject({
      refused: 'unauthorized',
    });
    const again = createSoftwarePasskey('eddsa', 'another');
    expect(bob.enrol({ passkey: again }, own.bodyOf(bob.id, again)).refusal).toBeUndefined();
  });

  it('is with a code that was made here, or elsewhere, and with no key of a machine', () => {
    const { publicKey } = ownEnrollmentCode(Buffer.alloc(32, 7));
    for (const [id, body] of [
      [ada.id, { enrollment_public_key: publicKey }],
      [ledger.admin.id, { enrollment_public_key: publicKey }],
    ] as const) {
      expect(
        ledger.sendUnchecked(ledger.admin, 'PUT', `/v1/users/${id}`, body).refusal,
      ).toMatchObject({ refused: 'invalid_inputs' });
    }
    const answer = (person: LedgerPerson) =>
      createdUserView(ledger.state, row(person.id), { enrollmentCode: person.code });
    expect(answer(ada)).toMatchObject({ enrollment_code: ada.code });
    const bob = addPerson(ledger, ledger.admin, 'bob', { enrollment_public_key: publicKey });
    expect(answer(bob)).not.toHaveProperty('enrollment_code');
  });

  it('binds one identity to one user', () => {
    ada.enrol();
    const bob = addPerson(ledger, ledger.admin, 'bob');
    expect(bob.enrol({ token: ada.token }).refusal).toMatchObject({ refused: 'unauthorized' });
    expect(row(bob.id).passkeys).toBeUndefined();
  });

  it('that named somebody else, whom it keeps out, is undone by deleting the user', () => {
    const eve = addPerson(ledger, ledger.admin, 'eve');
    expect(eve.enrol({ token: ada.token }).refusal).toBeUndefined();
    expect(ada.enrol().refusal).toMatchObject({ refused: 'unauthorized' });
    ledger.must(ledger.admin, 'DELETE', `/v1/users?user_ids=${eve.id}`);
    expect(ada.enrol().refusal).toBeUndefined();
  });

  it('takes a passkey once', () => {
    ada.enrol();
    const bob = addPerson(ledger, ledger.admin, 'bob');
    const body = enrolmentBody(bob.code, bob.id, ada.passkey);
    expect(bob.enrol({ passkey: ada.passkey }, body).refusal).toMatchObject({
      refused: 'resource_conflict',
    });
  });

  it('is not there where the genesis names no RP id', () => {
    ledger = createLedgerBuilder();
    ada = addPerson(ledger, ledger.admin, 'ada');
    expect(ada.enrol().refusal).toMatchObject({ refused: 'unauthorized' });
  });
});

describe('a change of the vault', () => {
  beforeEach(() => {
    ada.enrol();
    allow(ada.id, 'create_vaults');
  });

  it('is made by a passkey', () => {
    const outcome = ada.send('POST', '/v1/vaults', NEW_VAULT);
    expect(outcome).toMatchObject({ refusal: undefined, actorId: ada.id });
  });

  it.each(['es256', 'rs256'] as const)('is made by an %s passkey too', (algorithm) => {
    const passkey = createSoftwarePasskey(algorithm, `second ${algorithm}`);
    const added = ada.send('POST', '/v1/passkeys', passkey.registration());
    expect(added.refusal).toBeUndefined();
    const outcome = ada.send('POST', '/v1/vaults', NEW_VAULT, { passkey });
    expect(outcome).toMatchObject({ refusal: undefined, actorId: ada.id });
  });

  it.each<[string, () => Parameters<LedgerPerson['send']>[3]]>([
    [
      "somebody else's passkey",
      () => {
        const bob = addPerson(ledger, ledger.admin, 'bob');
        bob.enrol();
        return { passkey: bob.passkey };
      },
    ],
    ['no user verification', () => ({ lie: { flags: UP } })],
    ['the challenge of another request', () => ({ lie: { challenge: 'A'.repeat(43) } })],
    ['another origin', () => ({ lie: { origin: 'https://evil.example.com' } })],
    ['a passkey that became one that can be copied', () => ({ lie: { flags: UP | UV } })],
    ['a token of another person', () => ({ token: googleToken('somebody else') })],
    [
      'the same email under another subject',
      () => ({ token: googleToken('other', { email: 'ada@example.com' }) }),
    ],
    [
      'the same subject at another provider',
      () => ({ token: unsignedToken({ iss: 'https://evil.example.com', sub: 'subject of ada' }) }),
    ],
    ['a stale timestamp', () => ({ timestampMs: ledger.now - 301_000 })],
  ])('is refused with %s', (_name, by) => {
    const vaults = ledger.state.vaults;
    expect(ada.send('POST', '/v1/vaults', NEW_VAULT, by()).refusal).toMatchObject({
      refused: 'unauthorized',
    });
    expect(ledger.state.vaults).toBe(vaults);
  });

  it('is made once by one assertion', () => {
    const by = { nonce: Buffer.alloc(8, 1), timestampMs: ledger.now };
    expect(ada.send('POST', '/v1/vaults', NEW_VAULT, by).refusal).toBeUndefined();
    expect(ada.send('POST', '/v1/vaults', { display_name: 'two' }, by).refusal).toMatchObject({
      refused: 'unauthorized',
    });
  });

  it("is not made by a machine's key under a person's token, nor the other way round", () => {
    const evidence = ledger.evidenceOf(ledger.admin, 'POST', '/v1/vaults', NEW_VAULT);
    const asPerson = { ...evidence, scheme: 'Bearer' as const, credential: ada.token };
    expect(ledger.appendEvidence(asPerson).refusal).toMatchObject({ refused: 'unauthorized' });
  });
});

describe('passkeys', () => {
  beforeEach(() => void ada.enrol());
  const second = createSoftwarePasskey('eddsa', 'second');
  const idOf = (credentialId: string) =>
    row().passkeys?.find((one) => one.credentialId === credentialId)?.id;

  it('may be several, each of which can be taken away but the last', () => {
    expect(ada.send('POST', '/v1/passkeys', second.registration()).refusal).toBeUndefined();
    const first = idOf(ada.passkey.credentialId)!;
    expect(ada.send('DELETE', `/v1/passkeys/${first}`).refusal).toBeUndefined();
    allow(ada.id, 'create_vaults');
    expect(ada.send('POST', '/v1/vaults', NEW_VAULT).refusal).toMatchObject({
      refused: 'unauthorized',
    });
    const by = { passkey: second };
    expect(ada.send('POST', '/v1/vaults', NEW_VAULT, by).refusal).toBeUndefined();
    const last = idOf(second.credentialId)!;
    expect(ada.send('DELETE', `/v1/passkeys/${last}`, undefined, by).refusal).toMatchObject({
      refused: 'resource_conflict',
    });
    expect(ada.send('DELETE', `/v1/passkeys/${first}`, undefined, by).refusal).toMatchObject({
      refused: 'resource_not_found',
    });
  });

  it('are at most ten', () => {
    const register = (index: number) =>
      ada.send('POST', '/v1/passkeys', createSoftwarePasskey('eddsa', `${index}`).registration());
    for (let index = 1; index < 10; index++) expect(register(index).refusal).toBeUndefined();
    expect(register(10).refusal).toMatchObject({ refused: 'resource_conflict' });
  });

  it('are of people', () => {
    const outcome = ledger.send(ledger.admin, 'POST', '/v1/passkeys', second.registration());
    expect(outcome.refusal).toMatchObject({ refused: 'forbidden' });
  });

  it('are reset by who manages users, and the person comes back with the same identity', () => {
    const reset = ledger.send(ledger.admin, 'PUT', `/v1/users/${ada.id}`, { reset_passkeys: true });
    expect(reset.refusal).toBeUndefined();
    expect(userFullView(ledger.state, row(), 0)).toMatchObject({
      status: 'pending_enrollment',
      credentials: [],
    });
    expect(indexes()).toEqual({ codes: 1, identities: [ada.id], passkeys: [] });
    const code = codeOf(ledger, reset);
    expect(code).not.toBe(ada.code);
    const body = enrolmentBody(code, ada.id, second);
    const by = { passkey: second };
    expect(ada.enrol({ ...by, token: googleToken('thief') }, body).refusal).toBeDefined();
    expect(ada.enrol().refusal).toBeDefined();
    expect(ada.enrol(by, body).refusal).toBeUndefined();
  });

  it('of somebody with more rights are not reset', () => {
    const manager = ledger.addMachine('manager', ['manage_users']);
    allow(ada.id, 'manage_admin_policies');
    const reset = ledger.send(manager, 'PUT', `/v1/users/${ada.id}`, { reset_passkeys: true });
    expect(reset.refusal).toMatchObject({ refused: 'forbidden' });
  });

  it('of somebody who may sign more are not reset', () => {
    const manager = ledger.addMachine('manager', ['manage_users']);
    const reset = () =>
      ledger.send(manager, 'PUT', `/v1/users/${ada.id}`, { reset_passkeys: true }).refusal;
    const group = ledger.must(ledger.admin, 'POST', '/v1/security-groups', {
      display_name: 'desk',
    });
    const when = { operations: ['raw_sign'], initiators: { user_ids: [ada.id] } };
    ledger.must(ledger.admin, 'POST', '/v1/signing-policies', {
      display_name: 'hers',
      security_group_id: group,
      rules: [{ display_name: 'raw', when, then: 'allow' }],
    });
    expect(reset()).toMatchObject({ refused: 'forbidden' });
    const rename = { display_name: 'Ada L.' };
    expect(ledger.send(manager, 'PUT', `/v1/users/${ada.id}`, rename).refusal).toBeUndefined();
  });

  it('of a machine are none', () => {
    const reset = ledger.send(ledger.admin, 'PUT', `/v1/users/${ledger.admin.id}`, {
      reset_passkeys: true,
    });
    expect(reset.refusal).toMatchObject({ refused: 'invalid_inputs' });
  });
});

describe('approvals by people', () => {
  const webhook = { version: 1, testnets_enabled: true };

  beforeEach(() => {
    ada.enrol();
    ledger.must(ledger.admin, 'POST', '/v1/admin-policies', {
      display_name: 'settings need Ada',
      action: 'modify_system_settings',
      effect: 'allow',
      subjects: { user_ids: [ledger.admin.id] },
      approvals: { quorum: 1, user_ids: [ada.id] },
    });
  });

  const waiting = () => {
    const { requestId } = ledger.send(ledger.admin, 'PATCH', '/v1/system-settings', webhook);
    return ledger.state.pendingRequests.rows.get(requestId!)!;
  };

  it('count', () => {
    const { id, digest } = waiting();
    const outcome = ada.send('POST', `/v1/requests/${id}/approve`, { digest });
    expect(outcome.refusal).toBeUndefined();
    expect(ledger.state.settings.testnetsEnabled).toBe(true);
  });

  it('do not count without the passkey', () => {
    const { id, digest } = waiting();
    const thief = { passkey: createSoftwarePasskey('eddsa', 'thief') };
    const outcome = ada.send('POST', `/v1/requests/${id}/approve`, { digest }, thief);
    expect(outcome.refusal).toMatchObject({ refused: 'unauthorized' });
    expect(ledger.state.settings.testnetsEnabled).toBe(false);
  });
});
