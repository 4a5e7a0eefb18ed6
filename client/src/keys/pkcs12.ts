/** The one private key of a PKCS#12 file (RFC 7292), which node:crypto has no way to take out. */
import forge from 'node-forge';
import {
  fromForgeAsn1,
  guardForge,
  isUnsupportedAlgorithm,
  toForgeAsn1,
  type ForgeAsn1,
} from './forge-asn1.js';
import { KeyFileError, type KeyFileFault } from './key-file-error.js';

/** Returns the key as unencrypted PKCS#8 or PKCS#1 DER. Without a passphrase: the empty one. */
export function keyOfPkcs12(file: Buffer, passphrase = ''): Buffer {
  const asn1 = guardForge(
    () => toForgeAsn1(file),
    () => 'malformed',
  );
  const contents = guardForge(
    () => forge.pkcs12.pkcs12FromAsn1(asn1, passphrase),
    (error) => faultOf(error, passphrase),
  );
  return derOf(onlyKey(contents));
}

function onlyKey(contents: forge.pkcs12.Pkcs12Pfx): forge.pkcs12.Bag {
  const types = [forge.pki.oids['pkcs8ShroudedKeyBag'], forge.pki.oids['keyBag']];
  const keys = types.flatMap((type) =>
    type === undefined ? [] : (contents.getBags({ bagType: type })[type] ?? []),
  );
  if (keys.length > 1) throw new KeyFileError('several_keys');
  const [key] = keys;
  if (key === undefined) throw new KeyFileError('no_private_key');
  return key;
}

/** node-forge reads RSA keys itself and hands on others as ASN.1. */
function derOf(bag: forge.pkcs12.Bag): Buffer {
  const asn1: ForgeAsn1 = bag.key
    ? forge.pki.privateKeyToAsn1(bag.key as forge.pki.rsa.PrivateKey)
    : bag.asn1;
  return fromForgeAsn1(asn1);
}

function faultOf(error: unknown, passphrase: string): KeyFileFault {
  if (isUnsupportedAlgorithm(error)) return 'unsupported_encryption';
  if (error instanceof Error && error.message.includes('unsupported MAC')) {
    return 'unsupported_encryption';
  }
  if (!isAboutPassphrase(error)) return 'malformed';
  // node-forge takes the passphrase in one spelling where RFC 7292 has UTF-16 and RFC 8018 UTF-8
  return /^[\x20-\x7e]*$/.test(passphrase) ? 'wrong_passphrase' : 'passphrase_not_ascii';
}

function isAboutPassphrase(error: unknown): boolean {
  return error instanceof Error && /password|Failed to decrypt/i.test(error.message);
}
