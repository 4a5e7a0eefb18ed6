import { expect, it } from '@jest/globals';
import { createLedgerBuilder } from '../support/ledger-builder.ts';

const ledger = createLedgerBuilder();
const { admin } = ledger;
const vaultId = ledger.must(admin, 'POST', '/v1/vaults', { display_name: 'Any' });
const groupId = ledger.must(admin, 'POST', '/v1/security-groups', { display_name: 'Any' });

/** Of two with one name, in other case. */
function secondOf(path: string, more: object): string | undefined {
  const [first, second] = ['Desk', 'DESK'].map((display_name, index) =>
    ledger.send(admin, 'POST', path, {
      ...more,
      ...(path === '/v1/users' && { email: `${index}@example.com` }),
      display_name,
    }),
  );
  expect(first!.refusal).toBeUndefined();
  return second!.refusal?.refused;
}

it.each(['/v1/vaults', '/v1/user-groups', '/v1/security-groups'])(
  'no two of %s have one name',
  (path) => {
    expect(secondOf(path, {})).toBe('resource_conflict');
  },
);

it.each<[string, object]>([
  ['/v1/users', { type: 'human', cloud_provider: 'gcp' }],
  ['/v1/keys', { type: 'ed25519' }],
  [`/v1/vaults/${vaultId}/wallets`, { network_family: 'solana' }],
  ['/v1/admin-policies', { action: 'freeze', effect: 'allow', subjects: { user_ids: [admin.id] } }],
  [
    '/v1/signing-policies',
    { security_group_id: groupId, rules: [{ display_name: 'Stop', when: {}, then: 'deny' }] },
  ],
  ['/v1/webhooks', { url: 'https://example.com/', events: ['freeze.changed'] }],
])('any two of %s may have one name', (path, more) => {
  expect(secondOf(path, more)).toBeUndefined();
});
