import { describe, expect, test } from '@jest/globals';
import { parseServiceUrl } from './service-url.js';

describe('the address of the service', () => {
  test.each([
    'https://vault.example',
    'https://vault.example:8080',
    'http://localhost:8080',
    'http://[::1]:8080',
  ])('may be %s', (url) => {
    expect(parseServiceUrl(url).origin).toBe(url);
    expect(parseServiceUrl(`${url}/`).origin).toBe(url);
  });

  test.each([
    'http://vault.example:8080',
    'http://localhost.example',
    'http://127.0.0.1.example',
    'https://vault.example/v1',
    'https://vault.example/?a=b',
    'https://user@vault.example',
    'ftp://localhost',
    'vault.example',
    '',
  ])('may not be %j', (url) => {
    expect(() => parseServiceUrl(url)).toThrow(RangeError);
  });
});
