import * as s from '@countersign/core/shapes.js';
import type { RequestTexts } from './request-texts.js';

const party = () => s.int().min(1).max(3);

const keysOfParty = {
  identity_public_key: s
    .string()
    .describe('Ed25519, 32 bytes, base64: signs attestations and receipts.'),
  exchange_public_key: s
    .string()
    .describe('X25519, 32 bytes, base64: says who speaks between parties.'),
};

export const partiesView = s
  .strictObject({
    parties: s
      .array(s.strictObject({ party: party().describe('1 to 3.'), ...keysOfParty }))
      .describe('The keys in force.'),
    former: s
      .array(
        s.strictObject({
          party: party().describe('1 to 3.'),
          ...keysOfParty,
          until_seq: s
            .int()
            .describe('Place in the ledger: the keys count for heads before it alone.'),
        }),
      )
      .describe('Keys of parties that were replaced, the oldest first.'),
    successor: s
      .strictObject({
        party: party().describe('The party that is to get these keys.'),
        ...keysOfParty,
        request_hash: s
          .string()
          .describe('Hash of the ledger entry that asked for it, 64 hexadecimal digits.'),
        confirmed_by: s.array(party()).describe('The other parties that have confirmed the keys.'),
      })
      .nullable()
      .describe('A replacement that waits for the two other parties; null for none.'),
    refresh: s
      .strictObject({
        number: s.int().describe('Counted from 1.'),
        dealers: s.array(party()).describe('The parties whose shares the new ones are made from.'),
        successor: party()
          .nullable()
          .describe('The party that was replaced; null for a plain refresh.'),
        keys_left: s.int().describe('Keys that still wait for new shares: 0 when it is done.'),
      })
      .nullable()
      .describe('The newest refresh of all shares, also when it is done; null if there was none.'),
  })
  .meta({ id: 'Parties' });

export const replacePartyTexts: RequestTexts = {
  name: 'PartySuccessor',
  body: {
    identity_public_key:
      'Ed25519, 32 bytes, base64: as `countersign-signer-keys` printed it on the new host.',
    exchange_public_key: 'X25519, 32 bytes, base64: likewise.',
  },
};

export const refreshSharesTexts: RequestTexts = {
  name: 'ShareRefresh',
  body: {
    dealers:
      'Two parties, the lower number first, from whose shares the new ones are made. A party that lost its shares is the third.',
  },
};
