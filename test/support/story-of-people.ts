/** The chapters of the recorded story about people: enrolment, passkeys, and what they approve. */
import { ENROLLMENT_LIFE_MS } from '@countersign/vault/authentication/user-secrets.js';
import type { HumanUser } from '@countersign/vault/state/state.js';
import type { LedgerBuilder, LedgerUser } from './ledger-builder.ts';
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
  bob.enrol({}, own.bodyOf(bob.id, bob.passkey));
  tellOfPasskeys(ledger, ada);
  tellOfResets(ledger, admin, late, own.publicKey);
  return { ada, bob };
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
