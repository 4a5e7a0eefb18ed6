import { DER_TAG, type DerElement } from '@countersign/core/der.js';
import { derSequenceOf } from './key-file-der.js';
import { KeyFileError } from './key-file-error.js';

/** Forms in which a private key comes as DER. */
export type DerForm = 'pkcs8' | 'encrypted_pkcs8' | 'pkcs1' | 'pkcs12';

const { integer, bitString, octetString, sequence } = DER_TAG;

/**
 * Tells a form by its first elements. The label of a PEM block is no help: programs have written PKCS#8
 * under `RSA PRIVATE KEY` and the other way round.
 */
export function formOfDer(bytes: Buffer): DerForm {
  if (hasIndefiniteLength(bytes)) return 'pkcs12';
  const elements = derSequenceOf(bytes);
  if (startsWith(elements, integer, sequence, octetString)) return 'pkcs8';
  if (startsWith(elements, integer, sequence)) return 'pkcs12';
  if (startsWith(elements, sequence, octetString)) return 'encrypted_pkcs8';
  if (startsWith(elements, integer, integer, integer)) return 'pkcs1';
  throw new KeyFileError(faultOf(elements));
}

function faultOf(elements: readonly DerElement[]) {
  if (startsWith(elements, integer, octetString)) return 'ec_key';
  if (startsWith(elements, sequence, bitString)) return 'public_key';
  if (startsWith(elements, integer, integer)) return 'public_key';
  if (startsWith(elements, sequence, sequence, bitString)) return 'certificate';
  return 'unrecognised';
}

/** Some programs write PKCS#12 as BER, with lengths left open. */
function hasIndefiniteLength(bytes: Buffer): boolean {
  return bytes[0] === sequence && bytes[1] === 0x80;
}

function startsWith(elements: readonly DerElement[], ...tags: number[]): boolean {
  return tags.every((tag, index) => elements[index]?.tag === tag);
}
