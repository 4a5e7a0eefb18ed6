import { createPrivateKey, createPublicKey, type JsonWebKey } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { issuersOf, jwksUrlOf, type IdentityProvider } from './identity-providers.js';
import {
  COOLDOWN_MS,
  createDiscoveredKeys,
  createRemoteKeys,
  STALE_MS,
  type ProviderKeys,
} from './provider-keys.js';
import { createTokenVerifier, openTokenVerifier, type TokenVerifier } from './token-verifier.js';

const NOW = Date.UTC(2026, 10, 22, 12);
const NOW_S = NOW / 1_000;
const TENANT = '11111111-2222-3333-4444-555555555555';
const AZURE: IdentityProvider = {
  kind: 'azure',
  tenant_id: TENANT,
  audiences: ['vault-app'],
  guests: 'refused',
};
const GOOGLE: IdentityProvider = {
  kind: 'gcp',
  audiences: ['vault.apps.googleusercontent.com'],
  hosted_domains: ['example.com'],
};

type Claims = Record<string, unknown>;
const azureClaims: Claims = {
  iss: `https://login.microsoftonline.com/${TENANT}/v2.0`,
  aud: 'vault-app',
  ...{ tid: TENANT, oid: 'object of ada', sub: 'pairwise', ver: '2.0' },
  ...{ iat: NOW_S - 60, nbf: NOW_S - 60, exp: NOW_S + 3_600 },
};
const googleClaims: Claims = {
  iss: 'https://accounts.google.com',
  aud: 'vault.apps.googleusercontent.com',
  azp: 'vault.apps.googleusercontent.com',
  ...{ sub: '1234', hd: 'example.com', email_verified: true },
  ...{ iat: NOW_S - 60, exp: NOW_S + 3_600 },
};

let keys: Record<'azure' | 'google' | 'ec', { privateKey: CryptoKey; publicKey: CryptoKey }>;
let verifier: TokenVerifier;
let lenient: TokenVerifier;

beforeAll(async () => {
  const [azure, google, ec] = await Promise.all([
    generateKeyPair('RS256', { extractable: true }),
    generateKeyPair('RS256', { extractable: true }),
    generateKeyPair('ES256', { extractable: true }),
  ]);
  keys = { azure, google, ec };
  const held = (kid: string, key: CryptoKey): ProviderKeys => ({
    find: async (asked) => (asked === kid ? key : 'unknown'),
  });
  const known = [
    { provider: AZURE, keys: held('a', azure.publicKey) },
    { provider: GOOGLE, keys: held('g', google.publicKey) },
  ];
  verifier = createTokenVerifier(known);
  const { hosted_domains: _any, ...anyGoogle } = GOOGLE as Extract<
    IdentityProvider,
    { kind: 'gcp' }
  >;
  lenient = createTokenVerifier([
    { provider: { ...AZURE, guests: 'allowed' }, keys: held('a', azure.publicKey) },
    { provider: anyGoogle, keys: held('g', google.publicKey) },
  ]);
});

function without(claims: Claims, name: string): Claims {
  return Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));
}

const azure = (claims: Claims = {}, header: Claims = {}) =>
  new SignJWT({ ...azureClaims, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'a', ...header })
    .sign(keys.azure.privateKey);
const exactly = (claims: Claims) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'a' }).sign(keys.azure.privateKey);
const google = (claims: Claims = {}) =>
  new SignJWT({ ...googleClaims, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'g' })
    .sign(keys.google.privateKey);

function unsigned(header: Claims, claims: Claims = azureClaims, signature = ''): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part(header)}.${part(claims)}.${signature}`;
}

async function withPublicKeyAsSecret(): Promise<string> {
  const { n } = await exportJWK(keys.azure.publicKey);
  return new SignJWT(azureClaims)
    .setProtectedHeader({ alg: 'HS256', kid: 'a' })
    .sign(Buffer.from(n!, 'base64url'));
}

it('a token is judged as of when it was used, by the keys of now', async () => {
  const token = await azure();
  const later = NOW + 5 * 3_600_000;
  expect(await verifier.refuse(token, later)).toMatchObject({ refused: 'unauthorized' });
  expect(await verifier.refuse(token, later, NOW)).toBeUndefined();
  expect(await verifier.refuse(token, NOW, later)).toMatchObject({ refused: 'unauthorized' });
});

const OTHER_TENANT = '99999999-2222-3333-4444-555555555555';
const issuerOf = (tenant: string) => `https://login.microsoftonline.com/${tenant}/v2.0`;

describe('a token is taken', () => {
  it.each<[string, () => Promise<string>]>([
    ["of Microsoft's", () => azure()],
    ["of Google's", () => google()],
    ["with Google's older issuer", () => google({ iss: 'accounts.google.com' })],
    ['that has just ended, within what clocks differ', () => azure({ exp: NOW_S - 29 })],
    ['that begins in a moment', () => azure({ nbf: NOW_S + 29, iat: NOW_S + 29 })],
    ['whatever its email says', () => azure({ email: 'SOMEBODY@example.com' })],
    ['of a member', () => azure({ acct: 0 })],
  ])('%s', async (_name, token) =>
    expect(await verifier.refuse(await token(), NOW)).toBeUndefined(),
  );

  it.each<[string, () => Promise<string>]>([
    ['of a guest, where they are allowed', () => azure({ acct: 1 })],
    ['of any domain, where none is named', () => google({ hd: 'other.example.com' })],
  ])('%s', async (_name, token) =>
    expect(await lenient.refuse(await token(), NOW)).toBeUndefined(),
  );
});

describe('a token is refused', () => {
  it.each<[string, () => string | Promise<string>]>([
    ['that is none', () => 'token'],
    ['with alg none', () => unsigned({ alg: 'none', kid: 'a' })],
    ['without a signature', () => unsigned({ alg: 'RS256', kid: 'a' })],
    ['signed with the public key as a secret', withPublicKeyAsSecret],
    [
      'signed by another algorithm',
      () =>
        new SignJWT(azureClaims)
          .setProtectedHeader({ alg: 'ES256', kid: 'a' })
          .sign(keys.ec.privateKey),
    ],
    [
      'signed by another RSA algorithm',
      async () => unsigned({ alg: 'PS256', kid: 'a' }, azureClaims, 'AAAA'),
    ],
    ['without kid', () => azure({}, { kid: undefined })],
    ['with an unknown kid', () => azure({}, { kid: 'b' })],
    [
      'with a critical header',
      async () =>
        `${Buffer.from(JSON.stringify({ alg: 'RS256', kid: 'a', crit: ['x'], x: 1 })).toString('base64url')}.${(await azure()).split('.').slice(1).join('.')}`,
    ],
    [
      'signed by the other provider',
      () =>
        new SignJWT(azureClaims)
          .setProtectedHeader({ alg: 'RS256', kid: 'a' })
          .sign(keys.google.privateKey),
    ],
    ['for another audience', () => azure({ aud: 'another-app' })],
    ['for several audiences', () => azure({ aud: ['vault-app', 'another-app'] })],
    ['of another tenant', () => azure({ iss: issuerOf(OTHER_TENANT), tid: OTHER_TENANT })],
    ['whose tid is not of its issuer', () => azure({ tid: OTHER_TENANT })],
    ['of everybody (common)', () => azure({ iss: issuerOf('common') })],
    ['of version 1', () => azure({ iss: `https://sts.windows.net/${TENANT}/` })],
    ['of version 1 in the issuer of version 2', () => azure({ ver: '1.0' })],
    ['without a version', () => exactly(without(azureClaims, 'ver'))],
    ['without oid', () => exactly(without(azureClaims, 'oid'))],
    ['without sub', () => exactly(without(azureClaims, 'sub'))],
    ['without exp', () => exactly(without(azureClaims, 'exp'))],
    ['without iat', () => exactly(without(azureClaims, 'iat'))],
    ['that has ended', () => azure({ exp: NOW_S - 31 })],
    ['that does not begin yet', () => azure({ nbf: NOW_S + 31 })],
    ['issued in the future', () => azure({ iat: NOW_S + 31 })],
    ['issued more than a day ago', () => azure({ iat: NOW_S - 86_500 })],
    ['of a guest', () => azure({ acct: 1 })],
    ["of Google's for another party", () => google({ azp: 'another-app' })],
    ["of Google's of another domain", () => google({ hd: 'evil.example.com' })],
    ["of Google's of no domain", () => google({ hd: undefined })],
    ["of Google's with an email that was not verified", () => google({ email_verified: false })],
    ['of 64 KiB', () => azure({ more: 'x'.repeat(64 * 1_024) })],
  ])('%s', async (_name, token) => {
    expect(await verifier.refuse(await token(), NOW)).toMatchObject({ refused: 'unauthorized' });
  });
});

it.each(['RS512', 'PS256'])(
  'a token of algorithm %s is refused by a key that would do it',
  async (alg) => {
    // a key of Node's own is bound to no algorithm
    const jwk = await exportJWK(keys.azure.privateKey);
    const privateKey = createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' });
    const publicKey = createPublicKey(privateKey) as unknown as CryptoKey;
    const anyAlgorithm = createTokenVerifier([
      { provider: AZURE, keys: { find: async () => publicKey } },
    ]);
    const signed = (by: string) =>
      new SignJWT(azureClaims).setProtectedHeader({ alg: by, kid: 'a' }).sign(privateKey);
    expect(await anyAlgorithm.refuse(await signed('RS256'), NOW)).toBeUndefined();
    expect(await anyAlgorithm.refuse(await signed(alg), NOW)).toMatchObject({
      refused: 'unauthorized',
    });
  },
);

describe("a provider's keys", () => {
  const setOf = async (...kids: string[]) => {
    const jwk: JWK = await exportJWK(keys.azure.publicKey);
    return JSON.stringify({ keys: kids.map((kid) => ({ ...jwk, kid, use: 'sig' })) });
  };

  /** Answers in turn; the last one again and again. */
  function scripted(...answers: (() => Promise<string>)[]) {
    let asked = 0;
    const remote = createRemoteKeys('https://provider.example.com', () => {
      asked += 1;
      return (answers.length > 1 ? answers.shift()! : answers[0]!)();
    });
    return { remote, asked: () => asked };
  }
  const down = () => Promise.reject(new Error('down'));

  it('are asked for once for many tokens', async () => {
    const { remote, asked } = scripted(() => setOf('one'));
    const found = await Promise.all([1, 2, 3].map(() => remote.find('one', NOW)));
    expect(found.every((key) => typeof key === 'object')).toBe(true);
    await remote.find('one', NOW + 60_000);
    expect(asked()).toBe(1);
  });

  it('are asked for anew once they are old, and where a token names a new one', async () => {
    const { remote, asked } = scripted(
      () => setOf('one'),
      () => setOf('two'),
    );
    await remote.find('one', NOW);
    expect(await remote.find('two', NOW + COOLDOWN_MS)).toMatchObject({ type: 'public' });
    expect(await remote.find('one', NOW + COOLDOWN_MS)).toBe('unknown');
    expect(asked()).toBe(2);
    await remote.find('two', NOW + COOLDOWN_MS + 600_000);
    expect(asked()).toBe(3);
  });

  it('are not asked for by every token with an unknown one', async () => {
    const { remote, asked } = scripted(() => setOf('one'));
    for (let at = 0; at < 100; at++) expect(await remote.find(`x${at}`, NOW + at)).toBe('unknown');
    expect(asked()).toBe(1);
  });

  it('are unavailable where the provider never answered, until it does', async () => {
    const { remote, asked } = scripted(down, () => setOf('one'));
    expect(await remote.find('one', NOW)).toBe('unavailable');
    expect(await remote.find('one', NOW + COOLDOWN_MS - 1)).toBe('unavailable');
    expect(asked()).toBe(1);
    expect(await remote.find('one', NOW + COOLDOWN_MS)).toMatchObject({ type: 'public' });
  });

  it('go on through an outage, for a day', async () => {
    const { remote } = scripted(() => setOf('one'), down);
    await remote.find('one', NOW);
    expect(await remote.find('one', NOW + STALE_MS)).toMatchObject({ type: 'public' });
    expect(await remote.find('one', NOW + STALE_MS + 1)).toBe('unavailable');
  });

  it.each([
    ['HTML', '<html>'],
    ['another document', '{}'],
    ['too many', JSON.stringify({ keys: Array.from({ length: 65 }, () => ({})) })],
  ])('that are %s are none', async (_name, answer) => {
    const { remote } = scripted(async () => answer);
    expect(await remote.find('one', NOW)).toBe('unavailable');
  });

  it('of other kinds do not count', async () => {
    const { remote } = scripted(async () => {
      const rsa = await exportJWK(keys.azure.publicKey);
      const ec = await exportJWK(keys.ec.publicKey);
      const own = [
        { ...ec, kid: 'ec' },
        { ...rsa, kid: 'enc', use: 'enc' },
        { ...rsa, kid: 'alg', alg: 'RS512' },
        { kty: 'oct', k: 'AAAA', kid: 'oct' },
        rsa,
      ];
      return JSON.stringify({ keys: own });
    });
    for (const kid of ['ec', 'enc', 'alg', 'oct']) {
      expect(await remote.find(kid, NOW)).toBe('unknown');
    }
  });

  it('that cannot be had are no fault of the token: 504', async () => {
    const unavailable = createTokenVerifier([
      { provider: AZURE, keys: { find: async () => 'unavailable' } },
    ]);
    expect(await unavailable.refuse(await azure(), NOW)).toMatchObject({
      refused: 'gateway_timeout',
    });
  });

  it('are as old as they are, though the clock is set back', async () => {
    const looks: number[] = [];
    const find = async (_kid: string, at: number) => {
      looks.push(at);
      return 'unknown' as const;
    };
    const verifier = createTokenVerifier([{ provider: AZURE, keys: { find } }]);
    for (const now of [NOW, NOW - 3_600_000]) await verifier.refuse(await azure(), now);
    const [first, second] = looks as [number, number];
    expect(second - first).toBeGreaterThanOrEqual(0);
    expect(second - first).toBeLessThan(60_000);
  });

  it('may lie in a file, which asks nobody', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'provider-keys-'));
    const path = join(folder, 'keys.json');
    try {
      writeFileSync(path, await setOf('a'));
      const pinned = await openTokenVerifier([{ ...AZURE, jwks_file: path }]);
      expect(await pinned.refuse(await azure(), NOW)).toBeUndefined();
      expect(await pinned.refuse(await azure({}, { kid: 'b' }), NOW)).toMatchObject({
        refused: 'unauthorized',
      });
      writeFileSync(path, '<html>');
      await expect(openTokenVerifier([{ ...AZURE, jwks_file: path }])).rejects.toThrow();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('lie where the provider says', () => {
    expect(jwksUrlOf(AZURE)).toBe(
      `https://login.microsoftonline.com/${TENANT}/discovery/v2.0/keys`,
    );
    expect(jwksUrlOf(GOOGLE)).toBe('https://www.googleapis.com/oauth2/v3/certs');
    expect(issuersOf(AZURE)).toEqual([issuerOf(TENANT)]);
  });
});

describe('a provider that is neither Microsoft nor Google', () => {
  const issuer = 'https://login.example.com/realms/desk';
  const OIDC: IdentityProvider = { kind: 'oidc', issuer, audiences: ['vault'] };
  const document = `${issuer}/.well-known/openid-configuration`;
  const jwks_uri = 'https://keys.example.com/jwks';

  /** What the issuer answers, by address, and what it was asked. */
  async function fakeIssuer(discovery: object = { issuer, jwks_uri }) {
    const key = { ...(await exportJWK(keys.google.publicKey)), kid: 'o', use: 'sig' };
    const pages: Record<string, unknown> = { [document]: discovery, [jwks_uri]: { keys: [key] } };
    const asked: string[] = [];
    const held = createDiscoveredKeys(issuer, async (url) => {
      asked.push(url);
      if (pages[url] === undefined) throw new Error('404');
      return JSON.stringify(pages[url]);
    });
    return { asked, verifier: createTokenVerifier([{ provider: OIDC, keys: held }]) };
  }

  const token = (more: Claims = {}) =>
    new SignJWT({
      iss: issuer,
      aud: 'vault',
      sub: 'ada',
      iat: NOW_S - 60,
      exp: NOW_S + 600,
      ...more,
    })
      .setProtectedHeader({ alg: 'RS256', kid: 'o' })
      .sign(keys.google.privateKey);

  it('is believed by the keys that its discovery document names', async () => {
    const fake = await fakeIssuer();
    expect(await fake.verifier.refuse(await token({ azp: 'vault' }), NOW)).toBeUndefined();
    expect(await fake.verifier.refuse(await token(), NOW)).toBeUndefined();
    expect(fake.asked).toEqual([document, jwks_uri]);
  });

  it.each<[string, Claims]>([
    ['of another issuer', { iss: 'https://login.example.com/realms/other' }],
    ['for another application', { aud: 'other' }],
    ['that was issued to another application', { azp: 'other' }],
    ['that has ended', { exp: NOW_S - 31 }],
    ['without a subject', { sub: undefined }],
  ])('has a token refused %s', async (_what, claims) => {
    const fake = await fakeIssuer();
    expect(await fake.verifier.refuse(await token(claims), NOW)).toMatchObject({
      refused: 'unauthorized',
    });
  });

  it.each<[string, object]>([
    ['is of another issuer', { issuer: `${issuer}/`, jwks_uri }],
    ['has keys without TLS', { issuer, jwks_uri: 'http://keys.example.com/jwks' }],
    ['names no keys', { issuer }],
  ])('is not believed where its document %s', async (_what, discovery) => {
    const fake = await fakeIssuer(discovery);
    expect(await fake.verifier.refuse(await token(), NOW)).toMatchObject({
      refused: 'gateway_timeout',
    });
    expect(fake.asked).toEqual([document]);
  });

  it('is nobody where none is configured', async () => {
    expect(await verifier.refuse(await token(), NOW)).toMatchObject({ refused: 'unauthorized' });
  });
});
