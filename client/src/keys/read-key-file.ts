/** Any accepted key file to the one normal form that is split. */
import type { KeyType } from '@countersign/core/signature-schemes.js';
import { DER_TAG } from '@countersign/core/der.js';
import { derElementsOf, derSequenceOf } from './key-file-der.js';
import { formOfDer } from './der-form.js';
import { seedOfJwk, seedOfPkcs8, seedOfText } from './ed25519-key.js';
import { decryptPemByHeader, decryptPkcs8 } from './encrypted-key.js';
import type { HmacEncoding, ImportedSecret, KeyForm } from './imported-secret.js';
import { KeyFileError } from './key-file-error.js';
import { readPrivateKeyBlock, type PemBlock } from './pem.js';
import { keyOfPkcs12 } from './pkcs12.js';
import { readHmacSecret } from './read-hmac-secret.js';
import { readLine } from './read-line.js';
import { rsaSecretOfDer, rsaSecretOfJwk } from './rsa-key.js';

export interface KeyFileOptions {
  readonly type: KeyType;
  /** hmac: utf8, hex or base64, and never guessed. Others: what the file must be, when stated. */
  readonly encoding?: string | undefined;
  /** Opens an encrypted file. */
  readonly passphrase?: string | undefined;
  /** hmac: the venue's third secret. */
  readonly venuePassphrase?: string | undefined;
}

const MAX_FILE_BYTES = 64 * 1024;
/** OpenSSL's own limit (PEM_BUFSIZE). */
const MAX_PASSPHRASE_BYTES = 1024;
const HMAC_ENCODINGS: readonly HmacEncoding[] = ['utf8', 'hex', 'base64'];
const KEY_FORMS: readonly KeyForm[] = ['pkcs8', 'seed', 'jwk', 'pkcs1', 'pkcs12'];

const ED25519_OID = Buffer.from('2b6570', 'hex');
const RSA_OID = Buffer.from('2a864886f70d010101', 'hex');
const EC_OID = Buffer.from('2a8648ce3d0201', 'hex');

/** Throws {@link KeyFileError}. The secret is a copy: the caller may wipe `file` at once. */
export function readKeyFile(file: Buffer, options: KeyFileOptions): ImportedSecret {
  if (file.length > MAX_FILE_BYTES) throw new KeyFileError('too_large');
  if (file.length === 0) throw new KeyFileError('empty');
  if (Buffer.byteLength(options.passphrase ?? '') > MAX_PASSPHRASE_BYTES) {
    throw new KeyFileError('passphrase_too_long');
  }
  if (options.type === 'hmac') {
    return readHmacSecret(file, hmacEncodingOf(options.encoding), options.venuePassphrase);
  }
  const stated = options.encoding;
  if (stated !== undefined && !KEY_FORMS.some((form) => form === stated)) {
    throw new KeyFileError('encoding_unknown');
  }
  const secret = readAsymmetric(file, options.passphrase);
  if (secret.type !== options.type) {
    throw new KeyFileError(options.type === 'rsa' ? 'not_rsa' : 'not_ed25519');
  }
  if (stated !== undefined && secret.encoding !== stated) throw new KeyFileError('other_form');
  return secret;
}

function hmacEncodingOf(stated: string | undefined): HmacEncoding {
  if (stated === undefined) throw new KeyFileError('encoding_missing');
  const encoding = HMAC_ENCODINGS.find((candidate) => candidate === stated);
  if (encoding === undefined) throw new KeyFileError('encoding_unknown');
  return encoding;
}

function readAsymmetric(file: Buffer, passphrase: string | undefined): ImportedSecret {
  // a seed in hex may begin with "0", which is also the first byte of DER: DER always has control bytes
  const isText = !/[^\t\n\r\x20-\x7e]/.test(file.toString('latin1'));
  if (!isText && file[0] === DER_TAG.sequence) return readDer(file, passphrase);
  const text = file.toString('latin1');
  if (text.includes('-----BEGIN ')) return readPem(readPrivateKeyBlock(text), passphrase);
  if (!isText) throw new KeyFileError('unrecognised');
  if (text.trimStart().startsWith('{')) return readJwk(text);
  const seed = seedOfText(readLine(file) ?? '');
  return { type: 'ed25519', seed, encoding: 'seed' };
}

function readPem(block: PemBlock, passphrase: string | undefined): ImportedSecret {
  if (!block.encryptedByHeader) return readDer(block.der, passphrase);
  const plain = decryptPemByHeader(block, passphrase);
  return readPlainDer(plain, block.label === 'RSA PRIVATE KEY' ? 'pkcs1' : 'pkcs8');
}

function readDer(der: Buffer, passphrase: string | undefined): ImportedSecret {
  const form = formOfDer(der);
  switch (form) {
    case 'pkcs1':
      return rsaSecretOfDer(der, form, form);
    case 'pkcs8':
      return readPkcs8(der, form);
    case 'encrypted_pkcs8':
      return readPlainDer(decryptPkcs8(der, passphrase), 'pkcs8');
    case 'pkcs12':
      return readPlainDer(keyOfPkcs12(der, passphrase), 'pkcs12');
  }
}

/** `der`: what was decrypted; it is wiped. `form`: of the file that it came from. */
function readPlainDer(der: Buffer, form: KeyForm): ImportedSecret {
  try {
    return formOfDer(der) === 'pkcs1' ? rsaSecretOfDer(der, 'pkcs1', form) : readPkcs8(der, form);
  } finally {
    der.fill(0);
  }
}

function readPkcs8(der: Buffer, form: KeyForm): ImportedSecret {
  const elements = derSequenceOf(der);
  const [objectId] = derElementsOf(elements[1]?.content ?? Buffer.alloc(0));
  if (objectId?.tag !== DER_TAG.objectId) throw new KeyFileError('malformed');
  if (objectId.content.equals(EC_OID)) throw new KeyFileError('ec_key');
  if (objectId.content.equals(RSA_OID)) return rsaSecretOfDer(der, 'pkcs8', form);
  if (!objectId.content.equals(ED25519_OID)) throw new KeyFileError('unsupported_key');
  return { type: 'ed25519', seed: seedOfPkcs8(elements), encoding: form };
}

function readJwk(text: string): ImportedSecret {
  const jwk = parseJwk(text);
  if (jwk['kty'] === 'RSA') return rsaSecretOfJwk(jwk);
  if (jwk['kty'] === 'EC') throw new KeyFileError('ec_key');
  if (jwk['kty'] !== 'OKP' || jwk['crv'] !== 'Ed25519') throw new KeyFileError('unsupported_key');
  return { type: 'ed25519', seed: seedOfJwk(jwk), encoding: 'jwk' };
}

function parseJwk(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    // the parser's own error quotes the text
    throw new KeyFileError('malformed');
  }
}
