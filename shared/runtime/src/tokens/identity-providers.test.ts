import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigError } from '../process/config.js';
import { findSignInFault, readIdentityProviders } from './identity-providers.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'providers-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function read(providers: unknown, development: 'refused' | 'allowed' = 'refused') {
  const path = join(folder, 'providers.json');
  writeFileSync(path, JSON.stringify({ providers }));
  return readIdentityProviders({
    IDENTITY_PROVIDERS_FILE: path,
    DEVELOPMENT_SIGN_IN: development,
  });
}

const azure = {
  kind: 'azure',
  tenant_id: '11111111-2222-3333-4444-555555555555',
  audiences: ['vault-app'],
};
const oidc = {
  kind: 'oidc',
  issuer: 'https://login.example.com/realms/desk',
  audiences: ['vault'],
};
const development = { kind: 'development', issuer: 'http://127.0.0.1:4000', audiences: ['vault'] };

describe('the identity providers', () => {
  it('are none without a file', () =>
    expect(readIdentityProviders({ DEVELOPMENT_SIGN_IN: 'refused' })).toEqual([]));

  it('refuse guests unless they say otherwise', () =>
    expect(read([azure])).toEqual([{ ...azure, guests: 'refused' }]));

  it('take any other of OpenID Connect', () => expect(read([oidc])).toEqual([oidc]));

  it('take one for development where that is allowed, and nowhere else', () => {
    expect(read([development], 'allowed')).toEqual([development]);
    expect(() => read([azure, development])).toThrow(ConfigError);
  });

  it.each<[string, unknown]>([
    ['none', []],
    ["everybody's directory", [{ ...azure, tenant_id: 'common' }]],
    ['no audience', [{ ...azure, audiences: [] }]],
    ['keys without TLS', [{ ...azure, jwks_url: 'http://login.example.com/keys' }]],
    ['an issuer without TLS', [{ ...oidc, issuer: 'http://login.example.com' }]],
    ['Google as another', [{ ...oidc, issuer: 'https://accounts.google.com' }]],
    [
      'Microsoft as another',
      [{ ...oidc, issuer: `https://login.microsoftonline.com/${azure.tenant_id}/v2.0` }],
    ],
    ['another kind', [{ ...azure, kind: 'okta' }]],
    ['an unknown field', [{ ...azure, tenant: 'x' }]],
  ])('are refused with %s', (_name, providers) =>
    expect(() => read(providers)).toThrow(ConfigError),
  );
});

describe('a new person', () => {
  const fault = (providers: unknown[], ...of: [provider: 'oidc' | 'gcp', issuer?: string]) =>
    findSignInFault(providers.length === 0 ? [] : read(providers, 'allowed'), ...of);

  it('of a provider that the file does not have is refused, where the contract does not name it', () => {
    expect(fault([], 'oidc')).toMatch(/^cloud_provider: .*IDENTITY_PROVIDERS_FILE/);
    expect(fault([azure], 'oidc')).toMatch(/^cloud_provider: /);
    expect(fault([], 'gcp')).toBeUndefined();
    expect(fault([oidc], 'oidc')).toBeUndefined();
    expect(fault([development], 'oidc')).toBeUndefined();
  });

  it('of an issuer that the file does not have is refused, with those that it has', () => {
    expect(fault([azure, oidc], 'oidc', oidc.issuer)).toBeUndefined();
    expect(fault([azure, oidc], 'oidc', `${oidc.issuer}/`)).toMatch(
      `identity.issuer: is none of this vault's (${oidc.issuer})`,
    );
  });
});
