/** PEM (RFC 7468), with the headers of RFC 1421 that older OpenSSL writes. */
import { KeyFileError, type KeyFileFault } from './key-file-error.js';

export interface PemBlock {
  /** e.g. `ENCRYPTED PRIVATE KEY`. */
  readonly label: string;
  /** The block as it stood, armour included. */
  readonly text: string;
  /** Encrypted by header (`Proc-Type: 4,ENCRYPTED`) and not by its content. */
  readonly encryptedByHeader: boolean;
  /** The decoded body. */
  readonly der: Buffer;
}

const FAULT_BY_LABEL: Readonly<Record<string, KeyFileFault>> = {
  'PUBLIC KEY': 'public_key',
  'RSA PUBLIC KEY': 'public_key',
  CERTIFICATE: 'certificate',
  'X509 CERTIFICATE': 'certificate',
  'TRUSTED CERTIFICATE': 'certificate',
};

/** The one block of a private key; certificates and parameters beside it are passed over. */
export function readPrivateKeyBlock(text: string): PemBlock {
  const blocks = [...text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \1-----/gs)];
  if (blocks.length === 0) throw new KeyFileError('truncated');
  const keys = blocks.filter(([, label]) => label?.endsWith('PRIVATE KEY'));
  if (keys.length > 1) throw new KeyFileError('several_keys');
  const [key] = keys;
  if (key === undefined) {
    throw new KeyFileError(FAULT_BY_LABEL[blocks[0]?.[1] ?? ''] ?? 'no_private_key');
  }
  const [armoured, label = '', body = ''] = key;
  if (label === 'OPENSSH PRIVATE KEY') throw new KeyFileError('openssh_key');
  if (label === 'EC PRIVATE KEY') throw new KeyFileError('ec_key');
  return { label, text: armoured, ...decodeBody(body) };
}

function decodeBody(body: string): Pick<PemBlock, 'encryptedByHeader' | 'der'> {
  // headers end with an empty line; base64 has no colon
  const headers = /^\s*(?:[A-Za-z0-9-]+:.*\r?\n)+[ \t]*\r?\n/.exec(body)?.[0] ?? '';
  const base64 = body.slice(headers.length).replaceAll(/\s/g, '');
  const der = Buffer.from(base64, 'base64');
  if (der.toString('base64') !== base64) throw new KeyFileError('malformed');
  if (der.length === 0) throw new KeyFileError('truncated');
  return { encryptedByHeader: /^Proc-Type:\s*4,\s*ENCRYPTED/im.test(headers), der };
}
