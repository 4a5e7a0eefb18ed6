/** The chapters of the recorded story about people: enrolment, passkeys, and who may do what to whom. */
import { ENROLLMENT_LIFE_MS } from '@countersign/vault/authentication/user-secrets.js';
import type { HumanUser } from '@countersign/vault/state/state.js';
import {
  rawPublicKey,
  testPrivateKey,
  testUser,
  type LedgerBuilder,
  type LedgerUser,
} from './ledger-builder.ts';
import {
  addPerson,
  codeOf,
  enrolmentBody,
  googleToken,
  ownEnrollmentCode,
  type LedgerPerson,
} from './person.ts';
import { createSoftwarePasskey, UP } from './software-authenticator.ts';

export interface People {
  readonly ada: LedgerPerson;
  readonly bob: LedgerPerson;
}

/** Codes of both kinds, used in time, too late and by others; passkeys of each algorithm, and their end. */
export function tellOfPeople(ledger: LedgerBuilder): People {
  const { admin } = ledger;
  const ada = addPerson(ledger, admin, 'ada');
  const thief = createSoftwarePasskey('eddsa', 'thief');
  ada.enrol(
    { token: googleToken('thief'), passkey: thief },
    enrolmentBody('x'.repeat(24), ada.id, thief),
  );
  ada.enrol({ lie: { flags: UP } });
  ada.enrol();
  ada.enrol();
  const late = addPerson(ledger, admin, 'late');
  ledger.now = (ledger.state.users.rows.get(late.id) as HumanUser).createdAt + ENROLLMENT_LIFE_MS;
  late.enrol();
  const own = ownEnrollmentCode(Buffer.alloc(32, 7));
  const bob = addPerson(ledger, admin, 'bob', { enrollment_public_key: own.publicKey });
  bob.enrol({ passkey: thief }, enrolmentBody(bob.code, bob.id, thief));
  tellOfOneCodeForTwo(ledger, own.publicKey);
  bob.enrol({}, own.bodyOf(bob.id, bob.passkey));
  tellOfPasskeys(ledger, ada);
  tellOfResets(ledger, admin, late, own.publicKey);
  return { ada, bob };
}

/** One code that an administrator made is for one person. */
function tellOfOneCodeForTwo(ledger: LedgerBuilder, enrollment_public_key: string): void {
  ledger.sendUnchecked(ledger.admin, 'POST', '/v1/users', {
    ...{ type: 'human', display_name: 'cyd', email: 'cyd@example.com', cloud_provider: 'gcp' },
    enrollment_public_key,
  });
  ledger.sendUnchecked(ledger.admin, 'POST', '/v1/users', {
    ...{ type: 'human', display_name: 'ada', email: 'ADA@example.com', cloud_provider: 'azure' },
  });
}

function tellOfPasskeys(ledger: LedgerBuilder, ada: LedgerPerson): void {
  const passkeyIds = () =>
    (ledger.state.users.rows.get(ada.id) as HumanUser).passkeys?.map(({ id }) => id) ?? [];
  for (const algorithm of ['es256', 'rs256'] as const) {
    const another = createSoftwarePasskey(algorithm, `ada's ${algorithm}`);
    ada.send('POST', '/v1/passkeys', another.registration());
    ada.send('POST', '/v1/passkeys', another.registration());
    ada.send('POST', '/v1/vaults', { display_name: 'No right' }, { passkey: another });
  }
  const [, second, third] = passkeyIds();
  ada.send('DELETE', `/v1/passkeys/${second}`);
  ada.send('DELETE', `/v1/passkeys/${second}`);
  ada.send('DELETE', `/v1/passkeys/${third}`);
  ada.send('DELETE', `/v1/passkeys/${passkeyIds()[0]}`);
}

function tellOfResets(
  ledger: LedgerBuilder,
  admin: LedgerUser,
  late: LedgerPerson,
  enrollment_public_key: string,
): void {
  const path = `/v1/users/${late.id}`;
  const reset = ledger.send(admin, 'PUT', path, { reset_passkeys: true });
  const passkey = createSoftwarePasskey('es256', 'late');
  const body = enrolmentBody(codeOf(ledger, reset), late.id, passkey);
  late.enrol({ passkey }, body);
  ledger.sendUnchecked(admin, 'PUT', path, { enrollment_public_key });
  ledger.must(admin, 'PUT', path, { reset_passkeys: true, enrollment_public_key });
  ledger.sendUnchecked(admin, 'PUT', `/v1/users/${admin.id}`, { reset_passkeys: true });
}

/** Nobody gives what they have not, and nobody takes rights from somebody who has more. */
export function tellOfManagers(ledger: LedgerBuilder, signers: string): void {
  const { admin } = ledger;
  const manager = ledger.addMachine('manager', ['manage_users', 'manage_user_groups']);
  const boss = ledger.addMachine('boss', ['manage_admin_policies']);
  const later = new Date(ledger.now + 3_600_000).toISOString();
  const publicKey = rawPublicKey(testPrivateKey('another')).toString('base64url');
  for (const who of [manager, admin]) {
    for (const [id, body] of [
      [manager.id, { user_group_ids: [signers] }],
      [manager.id, { public_key: publicKey }],
      [boss.id, { expires_at: later }],
    ] as const) {
      ledger.sendUnchecked(who, 'PUT', `/v1/users/${id}`, body);
    }
    ledger.sendUnchecked(who, 'DELETE', `/v1/users?user_ids=${boss.id}`);
  }
  ledger.sendUnchecked(testUser('stranger'), 'POST', '/v1/vaults', { display_name: 'Nobody' });
}
