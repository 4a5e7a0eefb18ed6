/** The providers whose tokens count: an operator writes the file, the same for gateways and parties. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { CloudProvider } from '@countersign/api/requests/users.js';
import { GOOGLE_ISSUERS } from '@countersign/vault/authentication/token-identity.js';
import { ConfigError } from '../process/config.js';

const uuid = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'must be a UUID');
/** Ids of the applications that tokens are issued for. */
const audiences = z.array(z.string().min(1)).min(1);
/** A JSON Web Key Set on this machine, read once at the start, instead of the provider's address. */
const jwks_file = z.string().min(1).optional();
const secureUrl = z.url({ protocol: /^https$/ }).optional();

const providerSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('azure'),
    /** The one directory whose people may sign in: never `common`, which lets everybody in. */
    tenant_id: uuid,
    audiences,
    /** People of other directories who were invited into this one. */
    guests: z.enum(['refused', 'allowed']).default('refused'),
    jwks_url: secureUrl,
    jwks_file,
  }),
  z.strictObject({
    kind: z.literal('gcp'),
    audiences,
    /** Google Workspace domains; absent: any Google account that is a user of the vault. */
    hosted_domains: z.array(z.string().min(1)).min(1).optional(),
    jwks_url: secureUrl,
    jwks_file,
  }),
  z.strictObject({
    kind: z.literal('oidc'),
    /** As its tokens write it (`iss`), and as its discovery document says. */
    issuer: z
      .url({ protocol: /^https$/ })
      .refine(isNobodysElse, 'is of another kind, which checks more'),
    audiences,
    jwks_url: secureUrl,
    jwks_file,
  }),
  z.strictObject({
    kind: z.literal('development'),
    issuer: z.url(),
    audiences,
    jwks_url: z.url().optional(),
    jwks_file,
  }),
]);

/** Tokens of Microsoft and Google name directory and domain, which only their own kinds check. */
function isNobodysElse(issuer: string): boolean {
  const { hostname } = new URL(issuer);
  return !/(?:^|\.)(?:microsoftonline\.com|google\.com)$/.test(hostname);
}

const fileSchema = z.strictObject({ providers: z.array(providerSchema).min(1).max(10) });

export type IdentityProvider = z.output<typeof providerSchema>;

/** Settings of a process that checks tokens. */
export const signInSettings = {
  /** JSON file with the identity providers whose tokens count. Absent: no person can sign in. */
  IDENTITY_PROVIDERS_FILE: z.string().min(1).optional(),
  /** `allowed`: a provider of kind `development` may be among them. For development and tests alone. */
  DEVELOPMENT_SIGN_IN: z.enum(['refused', 'allowed']).prefault('refused'),
};

/** Throws ConfigError for a malformed file, and for a development provider that is not allowed. */
export function readIdentityProviders({
  IDENTITY_PROVIDERS_FILE: path,
  DEVELOPMENT_SIGN_IN: development,
}: {
  readonly IDENTITY_PROVIDERS_FILE?: string | undefined;
  readonly DEVELOPMENT_SIGN_IN: 'refused' | 'allowed';
}): readonly IdentityProvider[] {
  if (path === undefined) return [];
  const parsed = fileSchema.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  if (!parsed.success) throw new ConfigError(`${path}: ${parsed.error.message}`);
  const { providers } = parsed.data;
  if (development === 'refused' && providers.some(({ kind }) => kind === 'development')) {
    throw new ConfigError(
      `${path}: a provider for development signs in whoever asks: it needs DEVELOPMENT_SIGN_IN=allowed`,
    );
  }
  return providers;
}

/** The provider's values of `iss`. */
export function issuersOf(provider: IdentityProvider): readonly string[] {
  if (provider.kind === 'gcp') return GOOGLE_ISSUERS;
  return provider.kind === 'azure'
    ? [`https://login.microsoftonline.com/${provider.tenant_id}/v2.0`]
    : [provider.issuer];
}

/**
 * Why nobody could enrol as a person of this provider. Microsoft and Google stand in the contract: they may be named
 * before the file has them.
 */
export function findSignInFault(
  providers: readonly IdentityProvider[],
  provider: CloudProvider,
  issuer?: string,
): string | undefined {
  if (provider !== 'oidc') return undefined;
  const known = providers
    .filter(({ kind }) => kind === 'oidc' || kind === 'development')
    .flatMap(issuersOf);
  if (known.length === 0) {
    return 'cloud_provider: this vault has no provider of kind oidc (IDENTITY_PROVIDERS_FILE), so nobody could enrol';
  }
  return issuer === undefined || known.includes(issuer)
    ? undefined
    : `identity.issuer: is none of this vault's (${known.join(', ')}), so nobody could enrol`;
}

/**
 * The address of the provider's keys: from its own documentation, unless the file gives another. Undefined where the
 * provider itself has to be asked for it.
 */
export function jwksUrlOf(provider: IdentityProvider): string | undefined {
  if (provider.jwks_url !== undefined) return provider.jwks_url;
  if (provider.kind === 'gcp') return 'https://www.googleapis.com/oauth2/v3/certs';
  if (provider.kind === 'oidc') return undefined;
  return provider.kind === 'azure'
    ? `https://login.microsoftonline.com/${provider.tenant_id}/discovery/v2.0/keys`
    : new URL('jwks', `${provider.issuer.replace(/\/$/, '')}/`).href;
}

/** The hosts that a page contacts to sign somebody in: the issuer's, and the one where tokens are fetched. */
export function originsOf(provider: IdentityProvider): readonly string[] {
  if (provider.kind === 'gcp')
    return ['https://accounts.google.com', 'https://oauth2.googleapis.com'];
  return issuersOf(provider).map((issuer) => new URL(issuer).origin);
}
