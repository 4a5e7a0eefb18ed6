/** Encrypted PKCS#8 (RFC 5958, RFC 8018) and OpenSSL's older encryption by PEM header. */
import { createPrivateKey, type KeyObject, type PrivateKeyInput } from 'node:crypto';
import forge from 'node-forge';
import { ownField } from '../answers/json-fields.js';
import { DER_TAG } from '@countersign/core/der.js';
import { derElementsOf, derSequenceOf } from './key-file-der.js';
import { fromForgeAsn1, guardForge, isUnsupportedAlgorithm, toForgeAsn1 } from './forge-asn1.js';
import { KeyFileError, type KeyFileFault } from './key-file-error.js';
import type { PemBlock } from './pem.js';

/** Object id 1.2.840.113549.1.5.13. */
const PBES2 = Buffer.from('2a864886f70d01050d', 'hex');

/** Returns the key as unencrypted PKCS#8 DER. */
export function decryptPkcs8(der: Buffer, passphrase: string | undefined): Buffer {
  const given = assertGiven(passphrase);
  const opened = openWithNode({ key: der, format: 'der', type: 'pkcs8', passphrase: given });
  if (opened !== undefined) return exportPkcs8(opened);
  // PBES2 takes the passphrase as UTF-8, the older schemes of PKCS#12 as UTF-16
  const password = isPbes2(der) ? forge.util.encodeUtf8(given) : given;
  const asn1 = guardForge(
    () => forge.pki.decryptPrivateKeyInfo(toForgeAsn1(der), password) as forge.asn1.Asn1 | null,
    faultOfDecryption,
  );
  return fromForgeAsn1(asn1);
}

/** Returns the key as unencrypted PKCS#8 or PKCS#1 DER. */
export function decryptPemByHeader(block: PemBlock, passphrase: string | undefined): Buffer {
  const given = assertGiven(passphrase);
  const opened = openWithNode({ key: block.text, format: 'pem', passphrase: given });
  if (opened !== undefined) return exportPkcs8(opened);
  return guardForge(() => {
    const key = forge.pki.decryptRsaPrivateKey(
      block.text,
      forge.util.encodeUtf8(given),
    ) as forge.pki.rsa.PrivateKey | null;
    return key === null ? null : fromForgeAsn1(forge.pki.privateKeyToAsn1(key));
  }, faultOfDecryption);
}

/** Undefined when node cannot tell: it knows neither older encryption nor version 2 of PKCS#8. */
function openWithNode(input: PrivateKeyInput): KeyObject | undefined {
  try {
    return createPrivateKey(input);
  } catch (error) {
    if (ownField(error, 'code') === 'ERR_OSSL_BAD_DECRYPT') {
      throw new KeyFileError('wrong_passphrase');
    }
    return undefined;
  }
}

function exportPkcs8(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'pkcs8' });
}

function isPbes2(der: Buffer): boolean {
  const [algorithm] = derSequenceOf(der);
  const [objectId] = derElementsOf(algorithm?.content ?? Buffer.alloc(0));
  return objectId?.tag === DER_TAG.objectId && objectId.content.equals(PBES2);
}

/** A wrong key that leaves good padding by chance gives bytes that are no ASN.1. */
function faultOfDecryption(error: unknown): KeyFileFault {
  return isUnsupportedAlgorithm(error) ? 'unsupported_encryption' : 'wrong_passphrase';
}

function assertGiven(passphrase: string | undefined): string {
  if (passphrase === undefined) throw new KeyFileError('passphrase_missing');
  return passphrase;
}
