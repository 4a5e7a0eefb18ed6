/**
 * Checks whether a provider of this vault issued a person's token for it, and whether the token is valid, or was when
 * it was used. Gateways check for each request, parties for each signature. `identityOfToken` tells whom it names.
 */
import { decodeJwt, decodeProtectedHeader, jwtVerify, type JWTPayload } from 'jose';
import { z } from 'zod';
import { refuse, type Refusal } from '@countersign/core/errors.js';
import { INVALID_CREDENTIALS } from '@countersign/vault/authentication/refused-credential.js';
import { identityOfToken } from '@countersign/vault/authentication/token-identity.js';
import { issuersOf, jwksUrlOf, type IdentityProvider } from './identity-providers.js';
import { openLeaseClock } from '../process/lease-clock.js';
import {
  createDiscoveredKeys,
  createRemoteKeys,
  openKeyFile,
  type ProviderKeys,
} from './provider-keys.js';

export interface TokenVerifier {
  /**
   * Undefined if it was good at the moment of use, by the keys that the provider has now; both times in ms. One text
   * for everything that is wrong; 504 if the provider cannot be asked.
   */
  refuse(token: string, now: number, usedAt?: number): Promise<Refusal | undefined>;
}

const INVALID = refuse('unauthorized', INVALID_CREDENTIALS);
const UNAVAILABLE = refuse(
  'gateway_timeout',
  'the keys of your identity provider cannot be read: try again',
);

/** A token must not choose the algorithm: that would be an attacker's choice. */
const ALGORITHMS = ['RS256'];
const REQUIRED_CLAIMS = ['exp', 'iat', 'sub'];
/** How far the clocks of providers and of this host may differ, s. */
const TOLERANCE_S = 30;
/** Age since it was issued, whatever the token says, s. */
const MAX_AGE_S = 24 * 3_600;

interface KnownProvider {
  readonly provider: IdentityProvider;
  readonly keys: ProviderKeys;
}

export async function openTokenVerifier(
  providers: readonly IdentityProvider[],
): Promise<TokenVerifier> {
  const known = await Promise.all(
    providers.map(async (provider) => ({
      provider,
      keys: await openKeys(provider),
    })),
  );
  return createTokenVerifier(known);
}

async function openKeys(provider: IdentityProvider): Promise<ProviderKeys> {
  if (provider.jwks_file !== undefined) return openKeyFile(provider.jwks_file);
  const url = jwksUrlOf(provider);
  return url === undefined ? createDiscoveredKeys(issuersOf(provider)[0]!) : createRemoteKeys(url);
}

export function createTokenVerifier(known: readonly KnownProvider[]): TokenVerifier {
  const elapsed = openLeaseClock();
  return {
    async refuse(token, now, usedAt = now) {
      try {
        return await refuseToken(known, token, { elapsed: elapsed(), usedAt });
      } catch {
        return INVALID;
      }
    },
  };
}

/** Rejects whatever jose does not take. */
async function refuseToken(
  known: readonly KnownProvider[],
  token: string,
  { elapsed, usedAt }: { readonly elapsed: number; readonly usedAt: number },
): Promise<Refusal | undefined> {
  if (identityOfToken(token) === undefined) return INVALID;
  const { iss, aud } = decodeJwt(token);
  const from = known.find(({ provider }) => issuersOf(provider).includes(iss ?? ''));
  const { kid } = decodeProtectedHeader(token);
  // a token for several audiences could be brought here by each of them
  if (from === undefined || kid === undefined || typeof aud !== 'string') return INVALID;
  const { provider, keys } = from;
  const key = await keys.find(kid, elapsed);
  if (key === 'unavailable') return UNAVAILABLE;
  if (key === 'unknown') return INVALID;
  const { payload } = await jwtVerify(token, key, {
    algorithms: ALGORITHMS,
    issuer: [...issuersOf(provider)],
    audience: provider.audiences,
    requiredClaims: REQUIRED_CLAIMS,
    clockTolerance: TOLERANCE_S,
    maxTokenAge: MAX_AGE_S,
    currentDate: new Date(usedAt),
  });
  return areClaimsOf(provider, payload) ? undefined : INVALID;
}

/** Checks claims that only this kind of provider makes. */
function areClaimsOf(provider: IdentityProvider, claims: JWTPayload): boolean {
  switch (provider.kind) {
    case 'azure':
      return isMemberToken(provider, claims);
    case 'gcp':
      return isGoogleToken(provider, claims);
    case 'oidc':
      return isForOneOf(provider.audiences, claims);
    case 'development':
      return true;
  }
}

/** OpenID Connect Core 1.0, 3.1.3.7: a token that was issued to another application is no sign-in here. */
function isForOneOf(audiences: readonly string[], { azp }: JWTPayload): boolean {
  return azp === undefined || audiences.includes(azp as string);
}

const azureSchema = z.object({
  ver: z.literal('2.0'),
  acct: z.union([z.literal(0), z.literal(1)]).optional(),
});

/** Checks claims of Microsoft's tokens of version 2. `tid` and `oid` are checked where the identity is read. */
function isMemberToken(
  { guests }: Extract<IdentityProvider, { kind: 'azure' }>,
  claims: JWTPayload,
): boolean {
  const parsed = azureSchema.safeParse(claims);
  return parsed.success && (parsed.data.acct !== 1 || guests === 'allowed');
}

const googleSchema = z.object({
  azp: z.string().optional(),
  email_verified: z.literal(true).optional(),
  hd: z.string().optional(),
});

function isGoogleToken(
  { audiences, hosted_domains: domains }: Extract<IdentityProvider, { kind: 'gcp' }>,
  claims: JWTPayload,
): boolean {
  const parsed = googleSchema.safeParse(claims);
  if (!parsed.success) return false;
  const { azp, hd } = parsed.data;
  if (azp !== undefined && !audiences.includes(azp)) return false;
  return domains === undefined || (hd !== undefined && domains.includes(hd));
}
