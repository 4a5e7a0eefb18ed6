import { createPublicKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { isSignedBy } from '../../fixtures/fake-service.js';
import { authenticateRequest, signRequest, type RequestToSign } from './sign-request.js';

const apiKey = randomUUID();
const { privateKey } = generateKeyPairSync('ed25519');
const publicKey = createPublicKey(privateKey);

function request(changes: Partial<RequestToSign> = {}): RequestToSign {
  const body = Buffer.from('{"a":1}');
  return { method: 'POST', target: '/v1/users?a=b?c', body, now: Date.now(), ...changes };
}

function isGood(signed: RequestToSign, headers: Record<string, string>): boolean {
  const { method, target, body } = signed;
  return isSignedBy(publicKey, apiKey, { method, target, headers, body: String(body) });
}

const credentials = {
  'a key at hand': { apiKey, privateKey },
  'a signer that answers at once': {
    apiKey,
    sign: (digest: Uint8Array) => sign(null, digest, privateKey),
  },
  'a signer that takes its time': {
    apiKey,
    sign: async (digest: Uint8Array) => sign(null, digest, privateKey),
  },
};

describe.each(Object.entries(credentials))('%s', (_what, credential) => {
  test('signs what goes out, and nothing else', async () => {
    const wanted = request();
    const headers = await authenticateRequest(credential, wanted);
    expect(isGood(wanted, headers)).toBe(true);
    for (const change of [
      { method: 'PUT' },
      { target: '/v1/users?a=b' },
      { target: '/v1/users/?a=b?c' },
      { body: Buffer.from('{"a":2}') },
    ]) {
      expect(isGood({ ...wanted, ...change }, headers)).toBe(false);
    }
  });

  test('has the four headers in their forms, and a nonce of its own each time', async () => {
    const [one, two] = [
      await authenticateRequest(credential, request()),
      await authenticateRequest(credential, request()),
    ];
    expect(one).toEqual({
      authorization: `ApiKey ${apiKey}`,
      'x-request-nonce': expect.stringMatching(/^[0-9a-f]{16}$/),
      'x-request-timestamp': expect.stringMatching(/^[0-9a-f]{16}$/),
      'x-request-assertion': expect.stringMatching(/^[\w-]{86}$/),
    });
    expect(one['x-request-nonce']).not.toBe(two['x-request-nonce']);
  });
});

test('the timestamp is little-endian, the nonce as it was given', () => {
  const nonce = Buffer.from('0102030405060708', 'hex');
  const headers = signRequest({ apiKey, privateKey }, request({ now: 0x0102, nonce }));
  expect(headers['x-request-timestamp']).toBe('0201000000000000');
  expect(headers['x-request-nonce']).toBe('0102030405060708');
});

test('a signer that gives something else than a signature is wrong use', async () => {
  const credential = { apiKey, sign: () => new Uint8Array(63) };
  await expect(authenticateRequest(credential, request())).rejects.toThrow(TypeError);
});
