/** The chapters of the golden story about imported keys, and about rules for venues. */
import { toBase64 } from '@countersign/core/bytes.js';
import { keyStory, type LedgerBuilder } from './ledger-builder.ts';
import {
  addRecipients,
  appendRecipient,
  appendRefusal,
  refuseKey,
  rsaPublicKey,
  signedRecipient,
  signedRefusal,
} from './party-facts.ts';

const PARTIES = [1, 2, 3] as const;

/** Imports that came to something and imports that did not. Answers an HMAC key that did. */
export function tellOfImports(ledger: LedgerBuilder): string {
  const { admin } = ledger;
  const first = addRecipients(ledger, 'first');
  const outdated = signedRecipient(ledger, 2, 'between', ledger.now + 1_000);
  appendRecipient(ledger, outdated);
  appendRecipient(ledger, { ...signedRecipient(ledger, 2, 'forged'), party: 3 });
  const second = addRecipients(ledger, 'second');
  const hmac = {
    type: 'hmac',
    scheme: 'hmac_sha256',
    display_name: 'Imported secret',
    encoding: 'utf8',
    venue_id: 'okx',
    venue_api_key: 'okx-key',
    labels: { desk: 'b' },
    shares: first,
  };
  const secret = ledger.must(admin, 'POST', '/v1/keys/import', hmac);
  const story = { ...keyStory('imported secret'), publicKey: Buffer.alloc(0) };
  ledger.attest(3, secret, keyStory('with a public key'));
  for (const party of PARTIES) ledger.attest(party, secret, story);

  const stated = keyStory('imported seed');
  const seed = ledger.must(admin, 'POST', '/v1/keys/import', {
    type: 'ed25519',
    display_name: 'Imported seed',
    encoding: 'pkcs8',
    public_key: toBase64(stated.publicKey),
    shares: second,
  });
  ledger.attest(1, seed, stated);
  ledger.attest(2, seed, keyStory('another seed'));
  appendRefusal(ledger, { ...signedRefusal(ledger, 3, seed, 'a'), reason: 'b' });
  refuseKey(ledger, 3, seed);
  ledger.attest(2, seed, stated);
  refuseKey(ledger, 1, secret);

  const spki = rsaPublicKey('imported rsa key');
  const rsa = ledger.must(admin, 'POST', '/v1/keys/import', {
    type: 'rsa',
    scheme: 'rsa_pss_sha256',
    display_name: 'Imported RSA key',
    encoding: 'pkcs1',
    public_key: spki.toString('base64'),
    shares: second,
  });
  for (const party of PARTIES) {
    ledger.attest(party, rsa, { ...keyStory('imported rsa key'), publicKey: spki });
  }
  const generated = ledger.must(admin, 'POST', '/v1/keys', {
    type: 'rsa',
    modulus_bits: 3072,
    display_name: 'Generated RSA key',
  });
  for (const bits of [2048, 3072]) {
    const publicKey = rsaPublicKey('generated rsa key', bits);
    for (const party of PARTIES) {
      ledger.attest(party, generated, { ...keyStory('generated rsa key'), publicKey });
    }
  }

  const refusals = [
    { ...hmac, encoding: 'hex' },
    { ...hmac, scheme: 'hmac_sha512' },
    { ...hmac, shares: [first[0], first[1], first[1]] },
    { ...hmac, shares: [first[0], first[1], { ...first[2], recipient_id: outdated.recipientId }] },
    { ...hmac, public_key: toBase64(stated.publicKey) },
  ];
  for (const body of refusals) {
    const { refusal } = ledger.send(admin, 'POST', '/v1/keys/import', body);
    if (refusal?.refused !== 'invalid_inputs') throw new Error('an import was to be refused');
  }
  return secret;
}

/** Rules over venue requests, for a group that holds the key. */
export function tellOfVenueRules(ledger: LedgerBuilder, group: string, keyId: string): void {
  const { admin } = ledger;
  ledger.must(admin, 'PUT', `/v1/security-groups/${group}/members/${keyId}`);
  const initiators = { user_ids: [admin.id] };
  const limits = {
    display_name: 'Venue limits',
    security_group_id: group,
    rules: [
      {
        display_name: 'No withdrawals',
        when: { operation_classes: ['withdraw', 'transfer', 'key_admin'] },
        then: 'deny',
      },
      {
        display_name: 'Small orders',
        when: {
          initiators,
          venue_ids: ['okx'],
          operation_classes: ['trade'],
          symbols: ['BTC-USDT', 'ETH-USDT'],
          sides: ['buy'],
          amount: { min: '0.001', max: '1.50' },
        },
        then: 'allow',
      },
      {
        display_name: 'Reading',
        when: { initiators, venue_ids: ['okx'], endpoints: ['GET /api/v5/account/balance'] },
        then: 'allow',
      },
    ],
  };
  const policy = ledger.must(admin, 'POST', '/v1/signing-policies', limits);
  const refusedRules = [
    { when: { venue_ids: ['coinbase_advanced'], symbols: ['BTC-USD'] } },
    { when: { venue_ids: ['venue_a'] } },
    // the group holds a key of a venue whose signature does not bind the endpoint
    { when: { endpoints: ['GET /api/v5/account/balance'] } },
    { when: { operation_classes: ['session'], amount: { max: '1' } } },
    { when: { amount: { min: '2', max: '1' } } },
  ];
  for (const rule of refusedRules) {
    const when = { initiators, ...rule.when };
    const body = { ...limits, rules: [{ display_name: 'Never', when, then: 'allow' }] };
    const { refusal } = ledger.send(admin, 'POST', '/v1/signing-policies', body);
    if (refusal?.refused !== 'invalid_inputs') throw new Error('a rule was to be refused');
  }
  const [first, ...rest] = limits.rules;
  ledger.must(admin, 'PUT', `/v1/signing-policies/${policy}`, {
    display_name: 'Venue limits, reordered',
    rules: [...rest, first],
    version: 1,
  });
}
