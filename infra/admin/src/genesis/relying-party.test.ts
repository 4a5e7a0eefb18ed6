import { describe, expect, it } from '@jest/globals';
import { relyingPartyOf } from './relying-party.js';

describe('where passkeys belong', () => {
  it.each<[string, string[]]>([
    ['vault.example.com', ['https://vault.example.com', 'https://desk.vault.example.com:8443']],
    ['localhost', ['http://localhost:8080']],
  ])('is %s with %j', (rpId, origins) => {
    expect(relyingPartyOf(rpId, origins)).toEqual({ rp_id: rpId, origins });
  });

  it('may be nowhere', () => expect(relyingPartyOf(undefined, [])).toBeUndefined());

  it.each<[string | undefined, string[]]>([
    ['vault.example.com', []],
    [undefined, ['https://vault.example.com']],
    ['vault.example.com', ['http://vault.example.com']],
    ['vault.example.com', ['https://example.com']],
    ['vault.example.com', ['https://evilvault.example.com']],
    ['vault.example.com', ['https://vault.example.com.evil.test']],
    ['vault.example.com', ['https://vault.example.com/']],
    ['vault.example.com', ['https://vault.example.com/page']],
    ['vault.example.com', ['https://user@vault.example.com']],
    ['vault.example.com', ['https://VAULT.example.com']],
    ['vault.example.com', ['https://vault.example.com', 'https://other.test']],
    ['vault.example.com', ['vault.example.com']],
  ])('is not %s with %j', (rpId, origins) => {
    expect(relyingPartyOf(rpId, origins)).toBe('not of one domain');
  });
});
