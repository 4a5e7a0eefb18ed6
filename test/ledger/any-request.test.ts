import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createFold } from '@countersign/vault/ledger/fold.js';
import { stateHash } from '@countersign/vault/state/state-hash.js';
import { CATALOGUES } from '@countersign/vault/catalogues/todays-catalogues.js';
import { checkRequest } from '@countersign/vault/operations/check-request.js';
import { LEDGER_OPERATIONS } from '@countersign/vault/operations/ledger-operations.js';
import { tellOfDesk } from '../support/release-zero-story.ts';
import { howMany } from '../support/how-many.ts';

const FIELDS = [
  'display_name',
  'type',
  'subjects',
  'user_ids',
  'user_group_ids',
  'scope',
  'vault_ids',
  'members',
  'member_id',
  'add',
  'remove',
  'security_group_id',
  'signing_policy_ids',
  'rules',
  'when',
  'then',
  'operations',
  'initiators',
  'networks',
  'version',
  'effect',
  'action',
  'network_family',
  'expires_at',
  'public_key',
  'labels',
  'encoding',
  'scheme',
  'modulus_bits',
  'venue_id',
  'venue_api_key',
  'venue_ids',
  'operation_classes',
  'endpoints',
  'symbols',
  'sides',
  'amount',
  'max',
  'shares',
  'party',
  'recipient_id',
  'sealed',
  '__proto__',
  'constructor',
];

// An entry that makes the fold throw would stop every node for good: the ledger forgets nothing.
it('no request of a fully entitled user, whatever it says, stops the fold', () => {
  const ledger = tellOfDesk();
  const { state } = ledger;
  const tables = [state.users, state.userGroups, state.adminPolicies, state.vaults, state.wallets];
  const more = [state.keys, state.securityGroups, state.signingPolicies];
  const ids = [...tables, ...more].flatMap((table) => [...table.rows.keys()]);
  const recipients = state.importRecipients.map((recipient) => recipient.id);
  const addresses = [...state.wallets.rows.values()].map((wallet) => wallet.address);
  const statements = [
    'solana',
    'allow',
    'deny',
    'sign',
    'rsa',
    'hmac',
    'binance',
    'trade',
    '1.5',
    'x',
    '',
  ];
  const value = fc.constantFrom(...ids, ...recipients, ...addresses, ...statements);
  const json = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: 'small' },
      value,
      fc.constantFrom(0, 1, 2, -1, 1.5, 3072, true, null, '9999-12-31T23:59:59.999+23:59'),
      fc.array(tie('any'), { maxLength: 3 }),
      tie('object'),
    ),
    object: fc.dictionary(fc.constantFrom(...FIELDS), tie('any'), { maxKeys: 5 }),
  })).object;
  const names = fc.constantFrom('user_ids', 'key_ids', 'venue_id', 'vault_ids', 'addresses');
  const query = fc.oneof(
    fc.constant(''),
    fc.tuple(names, value).map(([name, text]) => `?${name}=${text}`),
  );
  const operation = fc.constantFrom(...LEDGER_OPERATIONS);
  fc.assert(
    fc.property(
      operation,
      fc.array(value, { minLength: 2, maxLength: 2 }),
      query,
      json,
      (op, params, q, body) => {
        let at = 0;
        const path = op.path.replaceAll(/\{\w+\}/g, () => params[at++]!);
        // a gateway asks the catalogues first; a hostile one does not
        const evidence = ledger.evidenceOf(ledger.admin, op.method, path + q, body);
        expect(() => checkRequest(ledger.state, evidence, CATALOGUES)).not.toThrow();
        const { refusal } = ledger.appendEvidence(evidence);
        expect(refusal?.refused).not.toBe('internal_server_error');
      },
    ),
    { numRuns: howMany(1_500) },
  );
  const again = createFold({ keys: ledger.keys });
  again.advance(ledger.rows);
  expect(stateHash(again.view.state)).toBe(stateHash(ledger.state));
});
