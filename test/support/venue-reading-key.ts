import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { keyStory, type LedgerBuilder } from './ledger-builder.js';
import { addRecipients } from './party-facts.js';

/** The id of an active HMAC key of the venue, whose policy lets everybody read. */
export function makeReadingKey(ledger: LedgerBuilder, venueId: string, encoding = 'utf8'): string {
  const { admin } = ledger;
  const when = { operation_classes: ['read'], initiators: { user_ids: [admin.id] } };
  const rules = [{ display_name: 'read', when, then: 'allow' }];
  return makeVenueKey(ledger, venueId, rules, encoding).keyId;
}

/** An active HMAC key of the venue, and the policy with these rules for it alone. */
export function makeVenueKey(
  ledger: LedgerBuilder,
  venueId: string,
  rules: readonly object[],
  encoding = 'utf8',
): { readonly keyId: string; readonly policyId: string } {
  const { admin } = ledger;
  const keyId = ledger.must(admin, 'POST', '/v1/keys/import', {
    type: 'hmac',
    display_name: venueId,
    venue_id: venueId,
    venue_api_key: 'apiKey',
    encoding,
    shares: addRecipients(ledger, venueId),
  });
  for (const party of PARTY_NUMBERS) {
    ledger.attest(party, keyId, { ...keyStory(keyId), publicKey: Buffer.alloc(0) });
  }
  const groupId = ledger.must(admin, 'POST', '/v1/security-groups', {
    display_name: venueId,
    members: [{ member_id: keyId, member_type: 'key' }],
  });
  const body = { display_name: venueId, security_group_id: groupId, rules };
  return { keyId, policyId: ledger.must(admin, 'POST', '/v1/signing-policies', body) };
}
