/**
 * Reads whom a person's token names. This believes the claims. Gateways and parties, which have a clock and the
 * provider's keys, check that the provider signed the token. The fold has neither: it relies on the person's passkey,
 * whose assertion covers the token.
 */
import * as s from '@countersign/core/shapes.js';
import type { CloudProvider } from '@countersign/api/requests/users.js';
import { parseBase64Url } from '@countersign/core/bytes.js';

/** Characters. No provider's token is this long, and it does not fill a request's head. */
export const MAX_TOKEN_CHARS = 6_144;

export interface TokenIdentity {
  /**
   * Names one person at one provider for good: by Microsoft's tenant and object id, by Google's subject, or by any
   * other's issuer and subject. An email address is never used: it can be given to others, and whoever runs another
   * tenant can set it.
   */
  readonly identity: string;
  readonly provider: CloudProvider;
}

const MICROSOFT = /^https:\/\/login\.microsoftonline\.com\/([0-9a-f-]{36})\/v2\.0$/;
export const GOOGLE_ISSUERS: readonly string[] = [
  'https://accounts.google.com',
  'accounts.google.com',
];

const text = s.string().min(1).max(255);
const claimsSchema = s.object({ iss: text, sub: text, tid: text.optional(), oid: text.optional() });

/** Undefined for a text that is no token, or whose claims name nobody. */
export function identityOfToken(token: string): TokenIdentity | undefined {
  if (token.length > MAX_TOKEN_CHARS) return undefined;
  const [, payload, signature, ...rest] = token.split('.');
  if (payload === undefined || signature === undefined || rest.length > 0) return undefined;
  const claims = claimsSchema.read(parseJson(parseBase64Url(payload)));
  return 'value' in claims ? identityOfClaims(claims.value) : undefined;
}

/** As a token of this issuer for this subject would name it; `subject` is Microsoft's object id, or a `sub`. */
export function identityNamed({
  issuer,
  subject,
}: {
  readonly issuer: string;
  readonly subject: string;
}): TokenIdentity | undefined {
  const tid = MICROSOFT.exec(issuer)?.[1];
  return identityOfClaims({ iss: issuer, sub: subject, tid, oid: subject });
}

function identityOfClaims({
  iss,
  sub,
  tid,
  oid,
}: s.OutputOf<typeof claimsSchema>): TokenIdentity | undefined {
  const tenant = MICROSOFT.exec(iss)?.[1];
  if (tenant !== undefined) {
    if (tid !== tenant || oid === undefined) return undefined;
    return { identity: JSON.stringify(['azure', tid, oid]), provider: 'azure' };
  }
  if (GOOGLE_ISSUERS.includes(iss)) {
    return { identity: JSON.stringify(['gcp', sub]), provider: 'gcp' };
  }
  return { identity: JSON.stringify(['other', iss, sub]), provider: 'oidc' };
}

function parseJson(bytes: Buffer | undefined): unknown {
  if (bytes === undefined) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
