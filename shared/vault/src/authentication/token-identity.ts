/**
 * Whom a person's token speaks of. This reads claims and believes them: whether the provider signed the token is checked
 * by gateways and parties, which have a clock and the provider's keys. The fold has neither; what it rests on is the
 * person's passkey, whose assertion covers the token.
 */
import * as s from '@countersign/core/shapes.js';
import { parseBase64Url } from '@countersign/core/bytes.js';

/** Characters: more than any provider's, less than what fills a request's head. */
export const MAX_TOKEN_CHARS = 6_144;

export interface TokenIdentity {
  /**
   * One text for one person at one provider, for good: by Microsoft's tenant and object id, by Google's subject. Never
   * by an email address, which is given to others and can be set by whoever runs another tenant.
   */
  readonly identity: string;
  /** Undefined for neither of them: a provider for development. */
  readonly provider: 'azure' | 'gcp' | undefined;
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
  return { identity: JSON.stringify(['other', iss, sub]), provider: undefined };
}

function parseJson(bytes: Buffer | undefined): unknown {
  if (bytes === undefined) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
