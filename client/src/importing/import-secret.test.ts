import { createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { fakeClock, fakeTransport, jsonAnswer } from '../../fixtures/fake-transport.js';
import { ed25519Key, pemOf } from '../../fixtures/key-files.js';
import { createTestVault, openShare, type TestVault } from '../../fixtures/vault-parties.js';
import { createOperationCalls } from '../calls/operation-calls.js';
import { createRawClient } from '../calls/raw-client.js';
import { readKeyFile } from '../keys/read-key-file.js';
import type { ImportRequestBody } from '../sealing/build-import-request.js';
import type { WireAnswer } from '../transport/transport.js';
import { importSecret, type SecretImport } from './import-secret.js';

const apiKey = randomUUID();
const { privateKey } = generateKeyPairSync('ed25519');
const userId = randomUUID();
const requestId = randomUUID();
const secret = readKeyFile(pemOf(ed25519Key, 'pkcs8'), { type: 'ed25519' });
const pem = createPublicKey(ed25519Key).export({ format: 'pem', type: 'spki' }).toString();
const otherPem = createPublicKey(privateKey).export({ format: 'pem', type: 'spki' }).toString();
const key = { id: randomUUID(), public_key: { pem } };

let vault: TestVault;
let recipients: WireAnswer;
beforeAll(async () => {
  vault = await createTestVault();
  recipients = jsonAnswer(200, await vault.answer(Date.now() + 60_000));
});

/** A vault that takes the import; `changes` replace its answers, one after the other. */
function importing(
  changes: Readonly<Record<string, readonly WireAnswer[]>> = {},
  wanted: Partial<SecretImport> = {},
) {
  const answers: Record<string, WireAnswer[]> = {
    'GET /v1/whoami': [jsonAnswer(200, { id: userId })],
    'GET /v1/keys/import-recipients': [recipients],
    'POST /v1/keys/import': [jsonAnswer(200, key)],
  };
  for (const [name, given] of Object.entries(changes)) answers[name] = [...given];
  const transport = fakeTransport(({ method, target }) => answers[`${method} ${target}`]?.shift());
  const raw = createRawClient(transport, { apiKey, privateKey }, Date.now);
  const calls = createOperationCalls(raw, {}, fakeClock());
  const result = importSecret(calls, { secret, vault, userId, displayName: 'desk', ...wanted });
  const imports = () => transport.seen.filter(({ method }) => method === 'POST');
  return { result, imports };
}

const failure = (errType: string) => ({ ok: false, error: expect.objectContaining({ errType }) });

test('the key comes back once it is active, however long that takes', async () => {
  const { result } = importing({
    'POST /v1/keys/import': [jsonAnswer(202, { status: 'processing', request_id: requestId })],
    [`GET /v1/requests/${requestId}`]: [
      jsonAnswer(200, { status: 'processing' }),
      jsonAnswer(200, { status: 'completed', result: key }),
    ],
  });
  await expect(result).resolves.toMatchObject({ ok: true, value: key });
});

test('what is sent again is the same sealed import', async () => {
  const late = jsonAnswer(504, { err_type: 'gateway_timeout', err_msg: 'try again' });
  const { result, imports } = importing({ 'POST /v1/keys/import': [late, jsonAnswer(200, key)] });
  await expect(result).resolves.toMatchObject({ ok: true });
  const [one, two] = imports();
  expect(String(two?.body)).toBe(String(one?.body));
  expect(two?.headers['idempotency-key']).toBe(one?.headers['idempotency-key']);
});

test('each part is sealed for the user whom the caller named', async () => {
  const { result, imports } = importing();
  await result;
  const { shares } = JSON.parse(String(imports()[0]?.body)) as ImportRequestBody;
  const context = { genesisHash: vault.genesisHash, userId, type: 'ed25519' } as const;
  for (const { party, sealed } of shares) {
    const opened = await openShare(sealed, vault.parties[party - 1]!, { ...context, party });
    expect(opened.party).toBe(party);
  }
});

describe('nothing is sent, and the reason is a value, when', () => {
  test('the API key is another user’s', async () => {
    const { result, imports } = importing({}, { userId: randomUUID() });
    await expect(result).resolves.toEqual(failure('untrusted'));
    expect(imports()).toEqual([]);
  });

  test('the recipients are not those of the pinned vault', async () => {
    const { result, imports } = importing({}, { vault: await createTestVault() });
    await expect(result).resolves.toEqual(failure('untrusted'));
    expect(imports()).toEqual([]);
  });

  test('the vault says no on the way', async () => {
    const no = jsonAnswer(403, { err_type: 'forbidden', err_msg: 'no' });
    for (const call of ['GET /v1/whoami', 'GET /v1/keys/import-recipients']) {
      const { result, imports } = importing({ [call]: [no] });
      await expect(result).resolves.toEqual(failure('forbidden'));
      expect(imports()).toEqual([]);
    }
  });
});

test.each([
  ['another public key', { ...key, public_key: { pem: otherPem } }],
  ['no public key', { id: key.id }],
  ['something that is none', { ...key, public_key: { pem: 'none' } }],
])('a key with %s is not the one that was imported', async (_what, shown) => {
  const { result } = importing({ 'POST /v1/keys/import': [jsonAnswer(200, shown)] });
  await expect(result).resolves.toEqual(failure('untrusted'));
});

test('an answer without a key is no import', async () => {
  const { result } = importing({ 'POST /v1/keys/import': [jsonAnswer(200, {})] });
  await expect(result).resolves.toEqual(failure('bad_answer'));
});

test('a scheme of another type is wrong use', async () => {
  await expect(importing({}, { scheme: 'hmac_sha256' }).result).rejects.toThrow(RangeError);
});
