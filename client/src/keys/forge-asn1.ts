/**
 * The one door to node-forge, which opens key files that node:crypto cannot: PKCS#12 and encryption
 * from before PBES2. It must never sign, verify, hash or generate: its signature checks have accepted
 * forgeries. Whatever comes out of it goes through node:crypto before it is used.
 */
import forge from 'node-forge';
import { KeyFileError, type KeyFileFault } from './key-file-error.js';

export type ForgeAsn1 = forge.asn1.Asn1;

/** Throws whatever node-forge throws. */
export function toForgeAsn1(der: Buffer): ForgeAsn1 {
  return forge.asn1.fromDer(der.toString('binary'));
}

export function fromForgeAsn1(value: ForgeAsn1): Buffer {
  return Buffer.from(forge.asn1.toDer(value).getBytes(), 'binary');
}

/** Runs `read`, whose errors may quote the file, and replaces them by fixed texts. */
export function guardForge<Result>(
  read: () => Result | null,
  faultOf: (error: unknown) => KeyFileFault,
): Result {
  let result: Result | null;
  try {
    result = read();
  } catch (error) {
    if (error instanceof KeyFileError) throw error;
    throw new KeyFileError(faultOf(error));
  }
  // null is node-forge's word for padding that does not come out
  if (result === null) throw new KeyFileError('wrong_passphrase');
  return result;
}

/** node-forge names the algorithm that it does not know, and that alone, in these properties. */
export function isUnsupportedAlgorithm(error: unknown): boolean {
  return error instanceof Error && ('oid' in error || 'algorithm' in error);
}
