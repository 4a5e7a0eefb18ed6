/**
 * Evidence: a caller's original signed request, byte for byte. The ledger stores it and a signing job carries it, so
 * that every node can check for itself who asked for what.
 */
import { asBuffer, ByteReader, ByteWriter, type Bytes } from './bytes.js';
import type { EvidenceKeys } from './evidence-seal.js';
import { sha256, uuidFromHash } from './hash.js';
import * as r from './records.js';
import { transcriptDigest } from './transcript.js';
import type { CredentialScheme, Evidence, SealedEvidence } from './evidence-types.js';

export type { CredentialScheme, Evidence, SealedEvidence } from './evidence-types.js';

const SCHEMES: readonly CredentialScheme[] = ['ApiKey', 'Bearer'];

const scheme: r.Field<CredentialScheme> = {
  write: (writer, value) => writer.u8(SCHEMES.indexOf(value)),
  read(reader) {
    const value = SCHEMES[reader.u8()];
    if (value === undefined) throw new RangeError('unknown credential scheme');
    return value;
  },
};

/** The credential is in the clear or sealed. */
export const EVIDENCE = {
  method: r.text,
  path: r.text,
  query: r.text,
  body: r.bytes,
  scheme,
  credential: r.bytes,
  timestampMs: r.u64,
  nonce: r.fixed(8),
  assertion: r.bytes,
};

const REQUEST_ID_DOMAIN = Buffer.from('countersign request id v1');
const CREDENTIAL_DOMAIN = Buffer.from('countersign evidence credential v1');

export function decodeSealedEvidence(bytes: Bytes): SealedEvidence {
  const { credential, ...rest } = readEvidence(bytes);
  return { ...rest, sealedCredential: asBuffer(credential) };
}

/** Throws EvidenceSealError or UnknownEvidenceKeyError. */
export function openEvidence(sealed: SealedEvidence, keys: EvidenceKeys): Evidence {
  const { sealedCredential, ...rest } = sealed;
  const credential = keys.open(sealedCredential, credentialContext(sealed));
  return { ...rest, credential: credential.toString('latin1') };
}

/**
 * The id of the request that this evidence makes. It depends only on the caller's own bytes: the same signed request
 * has the same id everywhere, however often it is delivered.
 */
export function requestIdOf(digest: Bytes): string {
  return uuidFromHash(sha256(Buffer.concat([REQUEST_ID_DOMAIN, digest])));
}

export function digestOf(evidence: Evidence): Buffer {
  return transcriptDigest(evidence);
}

export function credentialContext(evidence: { nonce: Bytes; timestampMs: number }): Buffer {
  return new ByteWriter()
    .fixed(CREDENTIAL_DOMAIN)
    .fixed(evidence.nonce)
    .u64(evidence.timestampMs)
    .bytes();
}

export function readEvidence(bytes: Bytes): r.Recorded<typeof EVIDENCE> {
  const reader = new ByteReader(bytes);
  const evidence = r.readRecord(reader, EVIDENCE);
  reader.end();
  return evidence;
}
