/**
 * The story that `test/vectors/allowed-addresses-ledger.json` records: lists of addresses of API keys, accepted and
 * refused.
 */
import {
  createLedgerBuilder,
  rawPublicKey,
  testPrivateKey,
  type LedgerBuilder,
} from './ledger-builder.ts';

export function tellAllowedAddressesStory(): LedgerBuilder {
  const ledger = createLedgerBuilder();
  const { admin } = ledger;
  const manager = ledger.addMachine('manager', ['manage_users']);
  const machine = (name: string, allowed: unknown) => ({
    type: 'machine',
    display_name: name,
    public_key: rawPublicKey(testPrivateKey(name)).toString('base64url'),
    allowed_addresses: allowed,
  });
  const post = (body: object) => ledger.sendUnchecked(admin, 'POST', '/v1/users', body);
  const put = (id: string, allowed: unknown, by = admin) =>
    ledger.sendUnchecked(by, 'PUT', `/v1/users/${id}`, { allowed_addresses: allowed });
  const id = ledger.must(admin, 'POST', '/v1/users', machine('bot', ['203.0.113.0/24', '::1/128']));
  for (const wrong of [[], ['10.0.0.1/8'], ['10.0.0.0'], ['::ffff:a00:0/104'], null]) {
    post(machine('other', wrong));
  }
  post(machine('other', ['::1/128', '::1/128']));
  post(
    machine(
      'other',
      Array.from({ length: 33 }, (_, at) => `10.0.0.${at}/32`),
    ),
  );
  put(id, ['2001:DB8::/32'], manager);
  put(id, null);
  put(id, ['0.0.0.0/0']);
  ledger.must(admin, 'PUT', `/v1/users/${id}`, { display_name: 'renamed' });
  // whoever has rights that the manager lacks, and the last administrator
  put(ledger.addMachine('freezer', ['freeze']).id, ['10.0.0.0/8'], manager);
  put(admin.id, ['10.0.0.0/8']);
  const person = { type: 'human', display_name: 'Ada', email: 'ada@example.com' };
  const ada = ledger.must(admin, 'POST', '/v1/users', { ...person, cloud_provider: 'gcp' });
  put(ada, ['10.0.0.0/8']);
  put(ada, null);
  return ledger;
}
