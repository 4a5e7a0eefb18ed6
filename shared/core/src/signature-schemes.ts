/** Signature schemes by key type. The first of a type is what its keys use when a request names none. */
export const SCHEMES_BY_KEY_TYPE = {
  ed25519: ['ed25519', 'ed25519ph'],
  rsa: [
    'rsa_pkcs1_sha256',
    'rsa_pkcs1_sha384',
    'rsa_pkcs1_sha512',
    'rsa_pss_sha256',
    'rsa_pss_sha384',
    'rsa_pss_sha512',
  ],
  hmac: ['hmac_sha256', 'hmac_sha384', 'hmac_sha512'],
} as const;

export type KeyType = keyof typeof SCHEMES_BY_KEY_TYPE;

export const KEY_TYPES = ['ed25519', 'rsa', 'hmac'] as const satisfies readonly KeyType[];

export type SignatureScheme = (typeof SCHEMES_BY_KEY_TYPE)[KeyType][number];

export const SIGNATURE_SCHEMES: readonly SignatureScheme[] =
  Object.values(SCHEMES_BY_KEY_TYPE).flat();

export function schemesOf(type: KeyType): readonly SignatureScheme[] {
  return SCHEMES_BY_KEY_TYPE[type];
}
