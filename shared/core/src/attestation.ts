import { ByteWriter, type Bytes } from './bytes.js';
import { sha256 } from './hash.js';
import * as r from './records.js';

/**
 * Names one run of a key ceremony: its session, under which parties store their shares, and its public transcript. The
 * session is signed with the rest. Otherwise a ledger that relabels attestations would send every party to shares that
 * it does not have.
 */
export function ceremonyHashOf(session: string, transcriptHash: Bytes): Buffer {
  return sha256(
    new ByteWriter()
      .field('countersign key ceremony v1')
      .field(session)
      .field(transcriptHash)
      .bytes(),
  );
}

/**
 * The bytes a party signs with its identity key once it holds its share. A client that pins the
 * genesis hash (and so the parties' identity keys) can check a deposit address with nothing else.
 */
export const keyAttestationMessage = r.statementMessage('countersign key attestation v1', {
  /** Empty, as the address, for a key that belongs to no wallet. */
  vaultId: r.text,
  keyId: r.text,
  keyType: r.text,
  /** As in the state's `Key.publicKey`; empty for an HMAC secret. */
  publicKey: r.bytes,
  address: r.text,
  /** {@link ceremonyHashOf} of the run that made the key. */
  ceremonyHash: r.bytes,
});

/** The bytes a party signs when a key will never be complete, e.g. because the parts do not fit. `reason`: public. */
export const keyRefusalMessage = r.statementMessage('countersign key refusal v1', {
  keyId: r.text,
  reason: r.text,
});
