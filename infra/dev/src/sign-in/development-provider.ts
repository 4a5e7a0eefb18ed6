/**
 * An identity provider for a developer's machine (OpenID Connect Core 1.0, authorization code flow with PKCE). Whoever
 * asks is signed in under the name that they give: gateways and parties take its tokens with DEVELOPMENT_SIGN_IN=allowed
 * alone. It listens on this host, and its keys live as long as it does.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

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
  // it speaks up on versions of Node that it no longer supports: only where it is wanted
  const { default: Provider } = await import('oidc-provider');
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.on('request', new Provider(issuer, configuration()).callback());
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

function configuration(): object {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
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
    // the console's page fetches its token itself
    clientBasedCORS: () => true,
    findAccount: (_context: unknown, name: string) => ({
      accountId: name,
      claims: () => ({ sub: name }),
    }),
    ttl: { IdToken: 3_600 },
  };
}
