import { createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  isSignedBy,
  refusal,
  startFakeService,
  type Answers,
  type FakeService,
} from '../../../../client/fixtures/fake-service.js';
import {
  ed25519Key,
  encryptedPem,
  PASSPHRASE,
  pemOf,
  publicHalf,
  rsaKey,
} from '../../../../client/fixtures/key-files.js';
import {
  createTestVault,
  openShare,
  type TestVault,
} from '../../../../client/fixtures/vault-parties.js';
import type { ImportRequestBody } from '@countersign/client/build-import-request.js';
import { typed } from '../../fixtures/typed.js';

const SECRET = 'CANARY-NhqPtmdSJYdKjVHj';
const userId = randomUUID();
const apiKey = randomUUID();
const caller = generateKeyPairSync('ed25519').privateKey;

let folder: string;
let vault: TestVault;
let service: FakeService;
let output: string;
let notes: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'import-key-'));
  vault = await createTestVault();
  await serve({});
  write('api-key', `${apiKey}\n`);
  write('caller.pem', pemOf(caller, 'pkcs8'));
  write('genesis.json', genesisText());
  write('secret', `${SECRET}\n`);
});

afterEach(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

function genesisText(): string {
  return JSON.stringify({
    genesis_hash: vault.genesisHash,
    vault_id: randomUUID(),
    parties: vault.identities.map(({ party, identityPublicKey }) => ({
      party,
      identity_public_key: identityPublicKey,
      exchange_public_key: identityPublicKey,
    })),
  });
}

/** A vault that takes every import; `more` replaces answers. */
async function serve(more: Answers): Promise<void> {
  service = await startFakeService({
    'GET /v1/whoami': { status: 200, body: { id: userId } },
    'GET /v1/keys/import-recipients': {
      status: 200,
      body: await vault.answer(Date.now() + 60_000),
    },
    'POST /v1/keys/import': ({ body }) => ({ status: 200, body: keyOf(body) }),
    ...more,
  });
}

async function serveInstead(more: Answers): Promise<void> {
  await service.close();
  await serve(more);
}

function keyOf(body: string) {
  const { display_name, type, public_key } = JSON.parse(body) as ImportRequestBody;
  const spki = Buffer.from(public_key ?? '', 'base64');
  const der = type === 'rsa' ? spki : Buffer.concat([Buffer.from(ED25519_SPKI, 'hex'), spki]);
  const publicHalf = () => createPublicKey({ key: der, format: 'der', type: 'spki' });
  const pem = type === 'hmac' ? undefined : publicHalf().export({ format: 'pem', type: 'spki' });
  const publicKey = pem === undefined ? {} : { public_key: { pem, raw: public_key } };
  return { id: randomUUID(), display_name, type, ...publicKey };
}

const ED25519_SPKI = '302a300506032b6570032100';

function write(name: string, content: string | Buffer, mode = 0o600): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

function file(name: string): string {
  return join(folder, name);
}

/** Types the command for an HMAC secret; `changes` replace options, or remove those that are undefined. */
async function run(changes: Record<string, string | undefined> = {}, rest: string[] = []) {
  const { url = service.url, ...others } = changes;
  const profile = {
    ...{ url, user: 'x' },
    ...{ api_key_file: file('api-key'), private_key_file: file('caller.pem') },
  };
  mkdirSync(file('countersign'), { recursive: true });
  write('countersign/profiles.json', JSON.stringify({ default: profile }));
  const options: Record<string, string | undefined> = {
    'user-id': userId,
    genesis: file('genesis.json'),
    type: 'hmac',
    encoding: 'utf8',
    in: file('secret'),
    name: 'main account',
    ...others,
  };
  const args = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
  const environment = { XDG_CONFIG_HOME: folder };
  const told = await typed(['keys', 'import', ...args, ...rest], {
    input: `${SECRET}\n`,
    environment,
  });
  ({ output, notes } = told);
  return told.code;
}

function sentImport(): ImportRequestBody {
  const sent = service.seen.find(({ method }) => method === 'POST');
  return JSON.parse(sent?.body ?? '') as ImportRequestBody;
}

describe('the command imports', () => {
  test('an HMAC secret, and prints the key as JSON', async () => {
    const labels = ['--label', 'desk=a', '--label', 'note=b=c'];
    const code = await run(
      { venue: 'gate', 'venue-api-key': 'k-1', scheme: 'hmac_sha512' },
      labels,
    );
    expect([code, notes]).toEqual([0, '']);
    expect(JSON.parse(output)).toMatchObject({ type: 'hmac', display_name: 'main account' });
    expect(sentImport()).toMatchObject({
      scheme: 'hmac_sha512',
      venue_id: 'gate',
      venue_api_key: 'k-1',
      labels: { desk: 'a', note: 'b=c' },
      encoding: 'utf8',
    });
    const sent = service.seen.find(({ method }) => method === 'POST');
    expect(isSignedBy(createPublicKey(caller), apiKey, sent!)).toBe(true);
  });

  test('for the user whom the caller named, and for nobody else', async () => {
    await run();
    const [share] = sentImport().shares;
    const context = { genesisHash: vault.genesisHash, party: 1, userId, type: 'hmac' } as const;
    const opened = await openShare(share!.sealed, vault.parties[0]!, context);
    expect(opened).toMatchObject({ party: 1, common: { type: 'hmac' } });
  });

  test('an Ed25519 key, and shows its public key as PEM', async () => {
    write('secret', encryptedPem(ed25519Key, 'aes-256-cbc'));
    write('passphrase', `${PASSPHRASE}\n`);
    const code = await run({
      type: 'ed25519',
      encoding: undefined,
      'passphrase-file': file('passphrase'),
    });
    expect(code).toBe(0);
    expect(sentImport().public_key).toBe(publicHalf.toString('base64'));
    const pem = createPublicKey(ed25519Key).export({ format: 'pem', type: 'spki' }).toString();
    expect(notes).toBe(`the public key, for the venue:\n${pem}`);
    expect(JSON.parse(output)).toMatchObject({ public_key: { pem } });
  });

  test('an RSA key', async () => {
    write('secret', pemOf(rsaKey, 'pkcs1'));
    expect(await run({ type: 'rsa', encoding: 'pkcs1' })).toBe(0);
    expect(sentImport()).toMatchObject({ type: 'rsa', encoding: 'pkcs1' });
    expect(notes).toBe('');
  });

  test('from standard input, with the passphrase of the venue', async () => {
    write('venue-passphrase', 'third secret\n');
    const code = await run({ in: '-', 'venue-passphrase-file': file('venue-passphrase') });
    expect([code, notes]).toEqual([0, '']);
  });
});

describe('exit code 2, and the service hears of nothing, when', () => {
  test.each<[string, Record<string, string | undefined>, string]>([
    ['the user is not named', { 'user-id': undefined }, "required option '--user-id"],
    ['the user is no UUID', { 'user-id': 'me' }, '--user-id is no UUID'],
    ['no genesis is pinned', { genesis: undefined }, '--genesis FILE is required'],
    ['the type is unknown', { type: 'dsa' }, 'Allowed choices are ed25519, rsa, hmac'],
    ['the scheme is another type’s', { scheme: 'ed25519' }, '--scheme for hmac is one of'],
    ['the encoding is missing', { encoding: undefined }, 'state how the venue writes the secret'],
    ['the encoding does not fit', { encoding: 'hex' }, 'the secret is not hex'],
    ['the address is none', { url: 'http://vault.example' }, 'must be https'],
    ['a label has no value', { label: 'desk' }, '--label is NAME=VALUE'],
    ['a passphrase is misplaced', { 'passphrase-file': 'x' }, '--passphrase-file is not for hmac'],
    ['a file is missing', { in: '/nonexistent/secret' }, 'cannot read /nonexistent/secret: ENOENT'],
  ])('%s', async (_what, changes, text) => {
    expect(await run(changes)).toBe(2);
    expect(notes).toContain(text);
    expect([output, service.seen]).toEqual(['', []]);
  });

  test('a label comes twice', async () => {
    expect(await run({}, ['--label', 'a=1', '--label', 'a=2'])).toBe(2);
    expect(notes).toContain('--label names something twice');
  });

  test.each(['secret', 'api-key', 'caller.pem'])('others can read %s', async (name) => {
    chmodSync(file(name), 0o640);
    expect(await run()).toBe(2);
    expect(notes).toContain('must be readable by its owner alone');
    expect(service.seen).toEqual([]);
  });

  test.each([
    ['genesis.json', '{"genesis_hash": "ab"}', 'is not what `countersign genesis` prints'],
    ['api-key', SECRET, 'holds no API key'],
    ['caller.pem', SECRET, 'holds no unencrypted Ed25519 private key'],
    ['caller.pem', pemOf(rsaKey, 'pkcs8'), 'holds no unencrypted Ed25519 private key'],
  ])('%s is something else', async (name, content, text) => {
    write(name, content);
    expect(await run()).toBe(2);
    expect(notes).toContain(text);
    expect(notes).not.toContain('CANARY');
    expect(service.seen).toEqual([]);
  });

  test('a secret stands among the arguments: it is not repeated', async () => {
    for (const mistake of [[SECRET], ['--secret', SECRET], [`--secret=${SECRET}`]]) {
      expect(await run({}, mistake)).toBe(2);
      expect(notes).not.toContain('CANARY');
    }
  });
});

describe('exit code 1 when', () => {
  const notSent = () => service.seen.every(({ method }) => method === 'GET');

  test('the API key belongs to another user than the one named', async () => {
    await serveInstead({ 'GET /v1/whoami': { status: 200, body: { id: randomUUID() } } });
    expect(await run()).toBe(1);
    expect(notes).toContain('another user than the named one');
    expect(notSent()).toBe(true);
  });

  test('the service is another vault, in all its parts', async () => {
    const other = await createTestVault();
    const body = await other.answer(Date.now() + 60_000);
    const relabelled = { ...body, genesis_hash: vault.genesisHash };
    for (const answer of [body, relabelled]) {
      await serveInstead({ 'GET /v1/keys/import-recipients': { status: 200, body: answer } });
      expect(await run()).toBe(1);
      expect(notes).toContain('untrusted: ');
      expect(notSent()).toBe(true);
    }
  });

  test('the vault says no', async () => {
    const answer = refusal(403, 'forbidden', 'nobody may import keys');
    await serveInstead({ 'POST /v1/keys/import': answer });
    expect(await run()).toBe(1);
    expect(notes).toBe('countersign: forbidden: nobody may import keys\n');
    expect(output).toBe('');
  });

  test('the service is not there', async () => {
    await service.close();
    expect(await run()).toBe(1);
    expect(notes).toContain('unreachable: ');
  });

  test.each([
    ['another public key', createPublicKey(generateKeyPairSync('ed25519').privateKey)],
    ['no public key', undefined],
  ])('the service shows %s for the imported key', async (_what, publicKey) => {
    const pem = publicKey?.export({ format: 'pem', type: 'spki' });
    const body = { id: randomUUID(), public_key: { pem } };
    await serveInstead({ 'POST /v1/keys/import': { status: 200, body } });
    write('secret', pemOf(ed25519Key, 'pkcs8'));
    expect(await run({ type: 'ed25519', encoding: undefined })).toBe(1);
    expect(notes).toContain('another public key');
    expect(output).toBe('');
  });
});

test('the secret is nowhere but in the sealed shares', async () => {
  write('venue-passphrase', 'CANARY-third');
  const code = await run({ 'venue-passphrase-file': file('venue-passphrase') });
  const spoken = JSON.stringify(service.seen) + output + notes;
  expect(code).toBe(0);
  for (const text of [SECRET, 'CANARY-third']) {
    for (const encoding of ['utf8', 'hex', 'base64'] as const) {
      expect(spoken).not.toContain(Buffer.from(text).toString(encoding).slice(0, 12));
    }
  }
});
