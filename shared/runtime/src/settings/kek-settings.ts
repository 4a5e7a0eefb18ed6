/** What a file in the place of a KEK says: which provider's key opens it, and the halves (docs/how-to/kek.md). */
import { z } from 'zod';

const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** Whether what is sent there can be read on the way by nobody else. */
export function isSafeAddress({ protocol, hostname }: Pick<URL, 'protocol' | 'hostname'>): boolean {
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname));
}

/** Plain HTTP is for this host itself, where an agent of the provider may listen. */
const address = z
  .url()
  .refine(
    (text) => URL.canParse(text) && isSafeAddress(new URL(text)),
    'must be https, or http to this host itself',
  );

const transit = z.strictObject({
  provider: z.literal('transit'),
  /** Such as `https://bao:8200`. */
  address,
  mount: z
    .string()
    .regex(/^[\w/-]+$/)
    .default('transit'),
  /** The name of the key there. */
  key: z.string().regex(/^[\w.-]+$/),
  /** A file with the token. It is read for each call, so an agent may renew it. */
  token_file: z.string().min(1),
});

const pkcs11 = z.strictObject({
  provider: z.literal('pkcs11'),
  /** The manufacturer's library, such as `/usr/lib/softhsm/libsofthsm2.so`. */
  library: z.string().min(1),
  /** The token's label. */
  token: z.string().min(1).max(32),
  /** The key's label; the token has one secret key of that label. */
  key: z.string().min(1),
  /** A file with the user's PIN. */
  pin_file: z.string().min(1),
});

const aws = z.strictObject({
  provider: z.literal('aws'),
  /** The whole name (ARN) of a symmetric key: no alias, which others can point elsewhere. */
  key: z
    .string()
    .regex(/^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/, 'must be the ARN of a key'),
  /** For an endpoint of a private network; absent: that of the key's region. */
  endpoint: address.optional(),
});

const google = z.strictObject({
  provider: z.literal('google'),
  /** The whole name of a key that encrypts and decrypts, without a version. */
  key: z
    .string()
    .regex(
      /^projects\/[\w.:-]+\/locations\/[\w-]+\/keyRings\/[\w-]+\/cryptoKeys\/[\w-]+$/,
      'must be projects/…/locations/…/keyRings/…/cryptoKeys/…',
    ),
  endpoint: address.default('https://cloudkms.googleapis.com'),
});

const azure = z.strictObject({
  provider: z.literal('azure'),
  /** The address of one version of an RSA key. */
  key: address.refine(
    (text) => URL.canParse(text) && isVersionOfKey(new URL(text)),
    'must be https://VAULT/keys/NAME/VERSION',
  ),
});

function isVersionOfKey({ pathname, search, hash, username, password }: URL): boolean {
  const isBare = `${search}${hash}${username}${password}` === '';
  return isBare && /^\/keys\/[A-Za-z0-9-]{1,127}\/[0-9a-f]{32}$/.test(pathname);
}

export const providerSettings = z.discriminatedUnion('provider', [
  transit,
  pkcs11,
  aws,
  google,
  azure,
]);
export type ProviderSettings = z.output<typeof providerSettings>;
export type ProviderName = ProviderSettings['provider'];
export type SettingsOf<Name extends ProviderName> = Extract<ProviderSettings, { provider: Name }>;

export const wrappedKek = z.strictObject({
  version: z.literal(1),
  kek_id: z.string().min(1),
  half: z.base64().length(44),
  wrapped: z.string().min(1),
  by: providerSettings,
});

/** But for what would have a library write down what it sends. */
const CLOUD_VARIABLE = /^(AWS|GOOGLE|GCE|METADATA|AZURE|IDENTITY|IMDS|MSI)_(?!.*LOG)/;
export const isCloudVariable = (name: string): boolean => CLOUD_VARIABLE.test(name);

/**
 * What the clouds' own libraries read of the environment to find who this process is. The threads that open a KEK are
 * given these variables and none other. `prod`: no program of a developer is started to ask for a
 * token, also where a machine's own role needs no variable.
 */
export function cloudVariables(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const given = Object.entries(environment).filter(
    (entry): entry is [string, string] => isCloudVariable(entry[0]) && entry[1] !== undefined,
  );
  return { AZURE_TOKEN_CREDENTIALS: 'prod', ...Object.fromEntries(given) };
}
