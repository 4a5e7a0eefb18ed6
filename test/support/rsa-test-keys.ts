/** RSA keys that are no secrets, for tests that are not about making one: that takes up to seconds of processor time. */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** By bits of the modulus. The exponent of the first two is 65537, of the others 3. */
export type RsaTestKey = '2048' | '2048-another' | '3072' | '4096';

export function rsaTestKey(name: RsaTestKey): {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
} {
  const file = new URL(`../vectors/rsa/test-key-${name}.pem`, import.meta.url);
  const privateKey = createPrivateKey(readFileSync(file));
  return { privateKey, publicKey: createPublicKey(privateKey) };
}
