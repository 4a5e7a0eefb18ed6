import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { IdentityProvider } from '@countersign/runtime/tokens/identity-providers.js';
import { appTraffic } from '../../../test/support/app-traffic.ts';
import { createApp, type AppDeps } from '../create-app.js';
import { createFastServer } from '../http/fast-server.js';
import { readConsoleFiles } from './console-files.js';
import { contentSecurityPolicy } from './console-policy.js';

const TENANT = '0d3c7a5e-52c1-4c1e-9f0e-6a4b6f0f7a11';
const PROVIDERS: IdentityProvider[] = [
  { kind: 'azure', tenant_id: TENANT, audiences: ['a'], guests: 'refused' },
  { kind: 'gcp', audiences: ['b'] },
  { kind: 'development', issuer: 'http://127.0.0.1:9090/oidc', audiences: ['c'] },
];
const VAULT = {
  vaultId: 'b7',
  genesisHash: 'ab'.repeat(32),
  relyingParty: { rpId: 'vault.example.com', origins: ['https://vault.example.com'] },
};
const PAGE = '<!doctype html><div id="root"></div>';
const SCRIPT = 'export const answer = 42;'.repeat(100);
const SECRET = 'not of the console';

let folder: string;
let server: Server;
let bare: Server;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'console-'));
  const built = join(folder, 'dist');
  mkdirSync(join(built, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'secret.html'), SECRET);
  writeFileSync(join(built, 'index.html'), PAGE);
  writeFileSync(join(built, 'assets', 'index-a1b2.js'), SCRIPT);
  writeFileSync(join(built, 'assets', 'index-a1b2.js.map'), SECRET);
  symlinkSync(join(folder, 'secret.html'), join(built, 'linked.html'));
  server = await serve(built);
  bare = await serve(join(folder, 'absent'));
});
afterAll(() => {
  for (const one of [server, bare]) {
    one?.closeAllConnections();
    one?.close();
  }
  rmSync(folder, { recursive: true });
});

async function serve(built: string): Promise<Server> {
  const deps = {
    documents: new Map(),
    ...appTraffic(),
    console: { files: readConsoleFiles(built), providers: PROVIDERS },
    service: { follower: { state: VAULT }, providers: PROVIDERS },
    logger: { error: () => undefined },
  };
  const opened = createFastServer(createApp(deps as unknown as AppDeps)).listen(0, '127.0.0.1');
  await once(opened, 'listening');
  return opened;
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** `path` as it is sent: nothing is normalised on its way. */
async function ask(
  path: string,
  { method = 'GET', headers = {}, of = server } = {},
): Promise<Answer> {
  const { port } = of.address() as AddressInfo;
  const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }).end();
  const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
  const body = await buffer(response);
  return { status: response.statusCode, headers: response.headers, body };
}

describe('the console', () => {
  it('is its page at every path of a screen', async () => {
    for (const path of ['/console/', '/console/policies', '/console/users/x?tab=1']) {
      const { status, headers, body } = await ask(path);
      expect([path, status, String(body)]).toEqual([path, 200, PAGE]);
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
      });
    }
  });

  it('is led to from its name without a slash', async () => {
    expect(await ask('/console')).toMatchObject({
      status: 308,
      headers: { location: '/console/' },
    });
  });

  it("is led to from the gateway's root, for now", async () => {
    expect(await ask('/')).toMatchObject({ status: 307, headers: { location: '/console/' } });
    expect(await ask('/', { method: 'POST' })).toMatchObject({ status: 404 });
    expect(await ask('//')).toMatchObject({ status: 400 });
  });

  it('gives a file for good, compressed for who takes that', async () => {
    const path = '/console/assets/index-a1b2.js';
    const plain = await ask(path);
    expect(String(plain.body)).toBe(SCRIPT);
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    });
    const { headers, body } = await ask(path, { headers: { 'accept-encoding': 'br, gzip' } });
    expect(headers['content-encoding']).toBe('gzip');
    expect(body.length).toBeLessThan(plain.body.length);
    expect(String(gunzipSync(body))).toBe(SCRIPT);
  });

  it.each([
    '/console/assets/absent.js',
    '/console/assets/index-a1b2.js.map',
    '/console/assets/',
    '/console/../secret.html',
    '/console/%2e%2e/secret.html',
    '/console/assets/..%2f..%2fsecret.html',
    '/console//secret.html',
    '/console/assets/%69ndex-a1b2.js',
    '/consolex',
  ])('has nothing at %s', async (path) => {
    const { status, headers, body } = await ask(path);
    expect([400, 404]).toContain(status);
    expect(headers['content-type']).toContain('application/json');
    expect(String(body)).not.toContain(SECRET);
  });

  it('follows no link out of its folder', async () => {
    expect(String((await ask('/console/linked.html')).body)).toBe(PAGE);
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE'])('takes no %s', async (method) => {
    const { status, headers } = await ask('/console/', { method });
    expect(status).toBe(404);
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('that was not built is a clear 404', async () => {
    const { status, body } = await ask('/console/', { of: bare });
    expect(status).toBe(404);
    expect(String(body)).toContain('without a built console');
  });

  it('is bound by its headers wherever it answers', async () => {
    for (const path of ['/console/', '/console/assets/index-a1b2.js', '/console/assets/no.js']) {
      expect((await ask(path)).headers).toMatchObject({
        'content-security-policy': contentSecurityPolicy(PROVIDERS),
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'x-frame-options': 'DENY',
      });
    }
  });
});

describe('what a page is told before anybody has signed in', () => {
  it('is which vault this is, where its passkeys belong, and whose tokens count', async () => {
    const { status, body } = await ask('/v1/sign-in');
    expect(status).toBe(200);
    expect(JSON.parse(String(body))).toEqual({
      vault_id: VAULT.vaultId,
      genesis_hash: VAULT.genesisHash,
      relying_party: { id: 'vault.example.com', origins: ['https://vault.example.com'] },
      providers: [
        {
          kind: 'azure',
          issuer: `https://login.microsoftonline.com/${TENANT}/v2.0`,
          client_id: 'a',
        },
        { kind: 'gcp', issuer: 'https://accounts.google.com', client_id: 'b' },
        { kind: 'development', issuer: 'http://127.0.0.1:9090/oidc', client_id: 'c' },
      ],
    });
  });
});

describe('the content security policy', () => {
  const directives = new Map(
    contentSecurityPolicy(PROVIDERS)
      .split('; ')
      .map((directive) => {
        const [name = '', ...values] = directive.split(' ');
        return [name, values] as const;
      }),
  );

  it('lets nothing run that is not a file of this origin', () => {
    expect(directives.get('default-src')).toEqual(["'none'"]);
    expect(directives.get('script-src')).toEqual(["'self'"]);
    expect(directives.get('require-trusted-types-for')).toEqual(["'script'"]);
    expect(contentSecurityPolicy(PROVIDERS)).not.toMatch(/unsafe|\*|\bhttps?:(?!\/\/)/);
  });

  it.each(['frame-ancestors', 'base-uri', 'form-action'])('allows no %s', (name) => {
    expect(directives.get(name)).toEqual(["'none'"]);
  });

  it('names no outside host but those of the identity providers, to connect to', () => {
    expect(directives.get('connect-src')).toEqual([
      "'self'",
      'https://login.microsoftonline.com',
      'https://accounts.google.com',
      'https://oauth2.googleapis.com',
      'http://127.0.0.1:9090',
    ]);
    const hosts = [...directives].filter(([, values]) => values.some((v) => v.includes('//')));
    expect(hosts.map(([name]) => name)).toEqual(['connect-src']);
    expect(contentSecurityPolicy([])).toContain("connect-src 'self';");
  });
});
