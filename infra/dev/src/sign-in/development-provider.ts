/**
 * An identity provider for a developer's machine (OpenID Connect Core 1.0, authorization code flow with PKCE). Whoever
 * asks is signed in under the name that they give: gateways and parties take its tokens with DEVELOPMENT_SIGN_IN=allowed
 * alone. It listens on this host. Loading it takes longer than a vault's start, so the first request does that; its keys
 * live from then on for as long as it does.
 */
import { generateKeyPair, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type Provider from 'oidc-provider';
import type { Grant } from 'oidc-provider';
import { answerSignIn, SIGN_IN_PATH } from './sign-in-page.js';

export interface DevelopmentProvider {
  readonly issuer: string;
  /** For IDENTITY_PROVIDERS_FILE. */
  readonly providersFile: string;
  close(): Promise<void>;
}

/** For whom it issues tokens. */
export const DEVELOPMENT_CLIENT = 'countersign';
/** Where a program comes back to with its code; any port of this host is taken. */
export const DEVELOPMENT_REDIRECT = 'http://127.0.0.1/signed-in';
/** The same of the console: passkeys belong to `localhost`, never to an address. */
const CONSOLE_REDIRECT = 'http://localhost/console/signed-in';

/** `port`: 0 takes a free one. The issuer is part of everybody's identity: it must stay where people have enrolled. */
export async function openDevelopmentProvider(
  port: number,
  providersFile: string,
): Promise<DevelopmentProvider> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let opening: Promise<RequestListener> | undefined;
  server.on('request', (request, response) => {
    opening ??= openProvider(issuer);
    opening.then(
      (answer) => answer(request, response),
      (error: unknown) => response.writeHead(500).end(`${String(error)}\n`),
    );
  });
  const provider = { kind: 'development', issuer, audiences: [DEVELOPMENT_CLIENT] };
  writeFileSync(providersFile, JSON.stringify({ providers: [provider] }, null, 2) + '\n');
  return {
    issuer,
    providersFile,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function openProvider(issuer: string): Promise<RequestListener> {
  // it speaks up on versions of Node that it no longer supports: only where it is wanted
  const { default: Provider } = await import('oidc-provider');
  const provider = new Provider(issuer, await configuration());
  const answer = provider.callback();
  return (request, response) => {
    if (request.url?.startsWith(SIGN_IN_PATH) !== true) return answer(request, response);
    return answerSignIn(provider, request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else response.writeHead(400, { 'content-type': 'text/plain' }).end(`${String(error)}\n`);
    });
  };
}

interface GrantContext {
  readonly oidc: {
    readonly provider: Provider;
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
  };
}

/** What a name agrees to by signing in. */
async function grantName({ oidc }: GrantContext): Promise<Grant> {
  const { provider, client, session } = oidc;
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope('openid');
  await grant.save();
  return grant;
}

async function configuration(): Promise<object> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2_048 });
  const kid = randomBytes(8).toString('hex');
  const jwk = { ...privateKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' };
  return {
    jwks: { keys: [jwk] },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    clients: [
      {
        client_id: DEVELOPMENT_CLIENT,
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        redirect_uris: [DEVELOPMENT_REDIRECT, CONSOLE_REDIRECT],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: {
      url: (_context: unknown, { uid }: { readonly uid: string }) => SIGN_IN_PATH + uid,
    },
    loadExistingGrant: grantName,
    // the console's page fetches its token itself
    clientBasedCORS: () => true,
    findAccount: (_context: unknown, name: string) => ({
      accountId: name,
      claims: () => ({ sub: name }),
    }),
    ttl: { IdToken: 3_600 },
  };
}
