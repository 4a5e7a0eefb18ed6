/**
 * Who sent a request to Coinbase Advanced: a JWT of a CDP key, signed with Ed25519, good for two minutes at one method
 * and path of its host (docs.cdp.coinbase.com, API reference v2, authentication). Keys on P-256 (ES256) are not served
 * here, because the vault has none. The venue takes a token as often as it comes, and so does this.
 */
import { isSignedBy } from '../signature-checks.js';
import { readJson, type VenueAccount, type WireRequest } from '../simulated-venue.js';

const HOST = 'api.coinbase.com';
const LIFE_S = 120;

export function authenticate(
  { method, path, headers }: WireRequest,
  accounts: readonly VenueAccount[],
  nowMs: number,
): VenueAccount | undefined {
  const [, token = ''] = /^Bearer (\S+)$/.exec(headers['authorization'] ?? '') ?? [];
  return authenticateToken(token, accounts, `${method} ${HOST}${path}`, nowMs);
}

/** `place`: what the token must be good for; on a WebSocket it names no place. */
export function authenticateToken(
  token: string,
  accounts: readonly VenueAccount[],
  place: string | undefined,
  nowMs: number,
): VenueAccount | undefined {
  const [, head = '', claims = '', signature = ''] =
    /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(token) ?? [];
  const { alg, kid } = read(head);
  const { iss, aud, sub, nbf, exp, uris } = read(claims);
  const account = accounts.find(({ apiKey }) => apiKey === sub && apiKey === kid);
  if (account?.publicKey === undefined || alg !== 'EdDSA' || iss !== 'cdp') return undefined;
  const now = Math.floor(nowMs / 1000);
  const isTimely =
    typeof nbf === 'number' &&
    typeof exp === 'number' &&
    nbf <= now + 1 &&
    now < exp &&
    exp - nbf <= LIFE_S;
  const isPlaced = place === undefined ? uris === undefined : has(uris, place);
  const isMeant = has(aud, 'cdp_service') && isPlaced;
  if (!isTimely || !isMeant) return undefined;
  const signed = isSignedBy(
    account.publicKey,
    `${head}.${claims}`,
    Buffer.from(signature, 'base64url'),
  );
  return signed ? account : undefined;
}

function read(part: string): Record<string, unknown> {
  return readJson(Buffer.from(part, 'base64url').toString()) ?? {};
}

function has(list: unknown, wanted: string): boolean {
  return Array.isArray(list) && list.includes(wanted);
}
