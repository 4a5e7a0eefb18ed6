/**
 * Why a key file cannot be imported. Every text is fixed: what the file holds, and what a library said
 * about it, never reaches a message, or key material would end in terminals and log files.
 */
const MESSAGES = {
  too_large: 'the file is larger than 64 KiB',
  empty: 'the file is empty',
  unrecognised: 'the file is in no form that can be read here',
  truncated: 'the file ends too early',
  malformed: 'the file is damaged: it does not follow its own form',
  several_keys: 'the file holds more than one private key',
  no_private_key: 'the file holds no private key',
  public_key: 'the file holds a public key, not a private one',
  certificate: 'the file holds a certificate, not a private key',
  ec_key: 'the file holds an elliptic-curve key (ECDSA), which this vault does not sign with',
  unsupported_key: 'the file holds a private key of a kind that this vault does not sign with',
  openssh_key: 'the file is in OpenSSH form: convert it to PKCS#8 first',
  not_ed25519: 'the key is an RSA key, and an Ed25519 key was asked for',
  not_rsa: 'the key is an Ed25519 key, and an RSA key was asked for',
  other_form: 'the key is written in another form than the stated encoding',
  encoding_missing: 'state how the venue writes the secret: utf8, hex or base64',
  encoding_unknown: 'this key type has no such encoding',
  passphrase_missing: 'the file is encrypted and no passphrase was given',
  passphrase_too_long: 'the passphrase is longer than 1024 bytes',
  wrong_passphrase: 'the passphrase does not open the file',
  passphrase_not_ascii:
    'the file does not open, perhaps because the passphrase has characters outside ASCII: encrypt the key anew with another passphrase',
  unsupported_encryption: 'the file is encrypted in a way that cannot be read here',
  seed_length: 'an Ed25519 seed is 32 bytes, or 64 with its public key, in hex or base64',
  public_half_differs: 'the public key beside the private key does not belong to it',
  rsa_size: 'the RSA modulus must have 2048, 3072 or 4096 bits',
  rsa_primes: 'the RSA key must be made of two primes',
  rsa_exponent: 'the RSA public exponent must be odd, at least 3 and below 2^32',
  rsa_inconsistent: 'the numbers of the RSA key do not belong together',
  hmac_empty: 'the secret is empty',
  hmac_too_long: 'the secret is longer than 2048 bytes',
  hmac_utf8: 'the secret is not UTF-8 text on one line without spaces around it',
  hmac_hex: 'the secret is not hex: pairs of digits 0-9 and a-f and nothing else',
  hmac_base64: 'the secret is not base64: standard alphabet, with padding, on one line',
  venue_passphrase: 'the venue passphrase is empty, longer than 512 bytes or not one line of text',
} as const;

export type KeyFileFault = keyof typeof MESSAGES;

/** Thrown by everything under `keys/`; `message` never holds key material or a passphrase. */
export class KeyFileError extends Error {
  readonly fault: KeyFileFault;

  constructor(fault: KeyFileFault) {
    super(MESSAGES[fault]);
    this.name = 'KeyFileError';
    this.fault = fault;
  }
}
