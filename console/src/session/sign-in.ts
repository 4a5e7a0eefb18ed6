/**
 * Signing in at an identity provider: authorization code with PKCE (RFC 7636, RFC 9700). The token stays in this page's
 * memory. What must outlive the way to the provider and back is in this tab's own storage, and none of it is a
 * credential: without the code, which comes once and to this page, it is of no use.
 */
import {
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  discoveryRequest,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
  None,
  processAuthorizationCodeResponse,
  processDiscoveryResponse,
  validateAuthResponse,
  type AuthorizationServer,
} from 'oauth4webapi';
import type { IdentityProvider, SignInFacts } from './sign-in-facts.js';

/** Where the provider sends a browser back to: known to it by name. */
export const SIGNED_IN_PATH = '/console/signed-in';
const KEPT = 'countersign.sign-in';

interface Kept {
  readonly issuer: string;
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
}

/** Leaves this page for the provider's. Rejects where the provider cannot be asked. */
export async function beginSignIn(provider: IdentityProvider): Promise<void> {
  const server = await discover(provider);
  const kept: Kept = {
    issuer: provider.issuer,
    verifier: generateRandomCodeVerifier(),
    state: generateRandomState(),
    nonce: generateRandomNonce(),
  };
  const url = new URL(server.authorization_endpoint ?? '');
  const query = {
    client_id: provider.client_id,
    redirect_uri: redirectUri(),
    response_type: 'code',
    scope: 'openid',
    state: kept.state,
    nonce: kept.nonce,
    code_challenge: await calculatePKCECodeChallenge(kept.verifier),
    code_challenge_method: 'S256',
    // several people try things out in one browser: it asks each time who is there
    ...(provider.kind === 'development' && { prompt: 'login' }),
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  sessionStorage.setItem(KEPT, JSON.stringify(kept));
  location.assign(url);
}

/** The ID token. Rejects for an answer that this tab has not asked for, or that the provider does not stand by. */
export async function finishSignIn({ providers }: SignInFacts, url: URL): Promise<string> {
  const kept = takeKept();
  const provider = providers.find(({ issuer }) => issuer === kept?.issuer);
  if (kept === undefined || provider === undefined)
    throw new Error('the sign-in was not begun in this tab');
  const server = await discover(provider);
  const client = { client_id: provider.client_id };
  const answer = validateAuthResponse(server, client, url, kept.state);
  const response = await authorizationCodeGrantRequest(
    server,
    client,
    None(),
    answer,
    redirectUri(),
    kept.verifier,
    insecureFor(provider),
  );
  const checks = { expectedNonce: kept.nonce, requireIdToken: true };
  const { id_token: token } = await processAuthorizationCodeResponse(
    server,
    client,
    response,
    checks,
  );
  if (token === undefined) throw new Error('the provider gave no token');
  return token;
}

async function discover(provider: IdentityProvider): Promise<AuthorizationServer> {
  const issuer = new URL(provider.issuer);
  return processDiscoveryResponse(issuer, await discoveryRequest(issuer, insecureFor(provider)));
}

/** A provider for development alone speaks without TLS. */
function insecureFor({ kind }: IdentityProvider): { [allowInsecureRequests]?: boolean } {
  return kind === 'development' ? { [allowInsecureRequests]: true } : {};
}

function redirectUri(): string {
  return location.origin + SIGNED_IN_PATH;
}

/** Once: nobody comes back with the same state twice. */
function takeKept(): Kept | undefined {
  const text = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  return text === null ? undefined : (JSON.parse(text) as Kept);
}
