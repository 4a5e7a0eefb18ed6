import { ByteWriter, type Bytes } from './bytes.js';
import { sha256 } from './hash.js';
import type { KeyType } from './signature-schemes.js';

/** Everything a key attestation binds together. */
export interface KeyAttestationSubject {
  /** Hex. */
  readonly genesisHash: string;
  /** Empty for a key that belongs to no wallet. */
  readonly vaultId: string;
  readonly keyId: string;
  readonly keyType: KeyType;
  /** As in the state's `Key.publicKey`; empty for an HMAC secret. */
  readonly publicKey: Bytes;
  /** Empty for a key that belongs to no wallet. */
  readonly address: string;
  /** {@link ceremonyHashOf} of the run that made the key. */
  readonly ceremonyHash: Bytes;
}

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
export function keyAttestationMessage(subject: KeyAttestationSubject): Buffer {
  return new ByteWriter()
    .field('countersign key attestation v1')
    .field(subject.genesisHash)
    .field(subject.vaultId)
    .field(subject.keyId)
    .field(subject.keyType)
    .field(subject.publicKey)
    .field(subject.address)
    .field(subject.ceremonyHash)
    .bytes();
}

/** The bytes a party signs when a key will never be complete, e.g. because the parts do not fit. */
export function keyRefusalMessage(subject: {
  /** Hex. */
  readonly genesisHash: string;
  readonly keyId: string;
  /** Public text. */
  readonly reason: string;
}): Buffer {
  return new ByteWriter()
    .field('countersign key refusal v1')
    .field(subject.genesisHash)
    .field(subject.keyId)
    .field(subject.reason)
    .bytes();
}
