import * as r from './records.js';

export const IMPORT_RECIPIENT = {
  party: r.party,
  /** UUID, chosen by the party. */
  recipientId: r.text,
  /** X25519. */
  publicKey: r.fixed(32),
  expiresAt: r.time,
};

/** A key to which a client may seal one party's part of an import, until it expires. */
export type ImportRecipient = r.Recorded<typeof IMPORT_RECIPIENT>;

/**
 * What a party signs to vouch for a recipient. Without it the gateway, which hands recipients out, could replace a
 * party's key by its own and read what is sealed to it.
 */
export const recipientMessage = r.statementMessage(
  'countersign import recipient v1',
  IMPORT_RECIPIENT,
);
