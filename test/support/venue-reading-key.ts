import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { keyStory, type LedgerBuilder } from './ledger-builder.js';
import { addRecipients } from './party-facts.js';

/** The id of an active HMAC key of the venue, whose policy lets everybody read. */
export function makeReadingKey(ledger: LedgerBuilder, venueId: string, encoding = 'utf8'): string {
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
  ledger.must(admin, 'POST', '/v1/signing-policies', {
    display_name: venueId,
    security_group_id: groupId,
    rules: [
      {
        display_name: 'read',
        when: { operation_classes: ['read'], initiators: { user_ids: [admin.id] } },
        then: 'allow',
      },
    ],
  });
  return keyId;
}
