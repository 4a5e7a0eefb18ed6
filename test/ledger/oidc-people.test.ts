/** People of a provider that is neither Microsoft nor Google: which tokens can become whose. */
import { beforeEach, expect, it } from '@jest/globals';
import type { HumanUser } from '@countersign/vault/state/state.js';
import { createLedgerBuilder, type LedgerBuilder } from '../support/ledger-builder.ts';
import { addPerson, googleToken, TEST_PASSKEYS, unsignedToken } from '../support/person.ts';

const ISSUER = 'https://login.example.com';
const token = unsignedToken({ iss: ISSUER, sub: 'ada' });

let ledger: LedgerBuilder;
beforeEach(() => {
  ledger = createLedgerBuilder({ passkeys: TEST_PASSKEYS });
});

const personOf = (cloud_provider: string) =>
  addPerson(ledger, ledger.admin, 'ada', { cloud_provider });

it('one of another provider enrols by its token, and is known by issuer and subject', () => {
  const ada = personOf('oidc');
  expect(ada.enrol({ token }).refusal).toBeUndefined();
  const row = ledger.state.users.rows.get(ada.id) as HumanUser;
  expect(row).toMatchObject({ cloudProvider: 'oidc' });
  expect(row.identity).toContain(ISSUER);
  const elsewhere = unsignedToken({ iss: 'https://login.example.org', sub: 'ada' });
  const vault = { display_name: 'x' };
  const send = (by: string) => ada.send('POST', '/v1/vaults', vault, { token: by }).refusal;
  expect(send(token)?.refused).toBe('forbidden'); // known, and without a right
  expect(send(elsewhere)?.refused).toBe('unauthorized');
});

it.each<[string, string, string]>([
  ['oidc', 'Google', googleToken('ada')],
  [
    'oidc',
    'Microsoft',
    unsignedToken({
      iss: 'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0',
      ...{ sub: 'x', tid: '11111111-2222-3333-4444-555555555555', oid: 'ada' },
    }),
  ],
  ['gcp', 'another provider', token],
  ['azure', 'another provider', token],
])('one of %s does not enrol by a token of %s', (provider, _whose, given) => {
  expect(personOf(provider).enrol({ token: given }).refusal?.refused).toBe('unauthorized');
});
