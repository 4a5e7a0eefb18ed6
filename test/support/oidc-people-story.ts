/** The story that `test/vectors/oidc-people-ledger.json` records: people of a provider that is neither Microsoft nor Google. */
import { createLedgerBuilder, type LedgerBuilder } from './ledger-builder.ts';
import { addPerson, TEST_PASSKEYS, unsignedToken } from './person.ts';

const tokenOf = (sub: string, iss = 'https://login.example.com') => unsignedToken({ iss, sub });

export function tellOidcPeopleStory(): LedgerBuilder {
  const ledger = createLedgerBuilder({ passkeys: TEST_PASSKEYS });
  const { admin } = ledger;
  const ada = addPerson(ledger, admin, 'ada', { cloud_provider: 'oidc' });
  const ben = addPerson(ledger, admin, 'ben');
  ada.enrol(); // by a token of Google
  ben.enrol({ token: tokenOf('ben') });
  ada.enrol({ token: tokenOf('ada') });
  const vault = { display_name: 'No right' };
  ada.send('POST', '/v1/vaults', vault, { token: tokenOf('ada') });
  ada.send('POST', '/v1/vaults', vault, { token: tokenOf('ada', 'https://other.example.com') });
  ben.enrol();
  return ledger;
}
