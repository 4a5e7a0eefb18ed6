import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startFakeTransit, type FakeTransit } from '../../../../test/support/fake-transit.ts';
import { randomSecret } from '../sealing/share-seal.js';
import type { ProviderSettings } from '@countersign/runtime/settings/kek-settings.js';
import { openKekIn, openKek as openKekOf } from './open-kek.js';
import { makeWrappedKek, readProviderSettings } from './wrapped-kek.js';

const CONTEXT = Buffer.from('a context');

let directory: string;
let transit: FakeTransit;
let settings: ProviderSettings;

const openKek = (path: string) => openKekOf(path, 1);
const pathOf = (name: string) => join(directory, name);
function write(name: string, content: string | Uint8Array, mode = 0o600): string {
  writeFileSync(pathOf(name), content, { mode });
  return pathOf(name);
}

type Document = { half: string; wrapped: string; kek_id: string; by: Record<string, string> };
const documentOf = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Document;

async function newKek(name: string): Promise<string> {
  return write(name, await makeWrappedKek(settings, 1));
}

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'countersign-kek-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

beforeEach(async () => {
  transit = await startFakeTransit(['party-1', 'party-2']);
  settings = settingsWith();
});
afterEach(() => transit.stop().catch(() => undefined));

function settingsWith(change: object = {}): ProviderSettings {
  const written = write(
    'settings',
    JSON.stringify({
      ...{ provider: 'transit', address: transit.address, key: 'party-1' },
      token_file: write('token', `${transit.token}\n`),
      ...change,
    }),
  );
  return readProviderSettings(written);
}

describe('a KEK under a key of a transit engine', () => {
  it('opens to the same key each time, and seals as one in a file', async () => {
    const path = await newKek('one');
    const [first, again] = [await openKek(path), await openKek(path)];
    const dek = randomSecret(32);
    expect(again.unwrap(first.wrap(dek, CONTEXT), CONTEXT)).toEqual(dek);
    expect(first.id).toMatch(/^transit:[0-9a-f]{16}$/);
    expect((await openKekIn(readFileSync(path), 1, 'a backup')).id).toBe(first.id);
  });

  it('is another each time that one is made', async () => {
    const [one, other] = [await openKek(await newKek('one')), await openKek(await newKek('two'))];
    const wrapped = one.wrap(randomSecret(32), CONTEXT);
    expect(() => other.unwrap(wrapped, CONTEXT)).toThrow();
    expect(one.id).not.toBe(other.id);
  });

  it('needs the engine no more once it is open', async () => {
    const kek = await openKek(await newKek('one'));
    await transit.stop();
    const dek = randomSecret(32);
    expect(kek.unwrap(kek.wrap(dek, CONTEXT), CONTEXT)).toEqual(dek);
  });

  it('opens after the engine has rotated its key, until that version is taken away', async () => {
    const path = await newKek('one');
    transit.rotate();
    const { id } = await openKek(path);
    transit.minVersion = 2;
    await expect(openKek(path)).rejects.toThrow('status 400');
    expect(documentOf(await newKek('newer')).wrapped).toMatch(/^vault:v2:/);
    expect((await openKek(pathOf('newer'))).id).not.toBe(id);
  });

  it('is not what either half says: the engine has one, the file the other', async () => {
    const path = await newKek('one');
    const document = documentOf(path);
    const half = randomSecret(32);
    const changed = { ...document, half: Buffer.from(half).toString('base64') };
    await expect(openKek(write('half', JSON.stringify(changed)))).rejects.toThrow('another key');
  });
});

describe('an engine that lies or fails', () => {
  it.each([
    ['fails', 'transit key party-1', 'status 503: it is sealed, or a standby'],
    ['nonsense', 'transit key party-1', 'its answer has another form'],
    ['floods', 'transit key party-1', 'its answer is too long'],
    ['redirects', 'transit key party-1', 'no answer'],
  ] as const)('%s: nothing opens, and the error says whose fault it is', async (how, who, what) => {
    const path = await newKek('one');
    transit.fault = how;
    const opening = openKek(path);
    await expect(opening).rejects.toThrow(who);
    await expect(opening).rejects.toThrow(what);
    await expect(opening).rejects.toMatchObject({ isFinal: false });
  });

  it('cannot have another key taken for it', async () => {
    const path = await newKek('one');
    transit.lies = true;
    const opening = openKek(path);
    await expect(opening).rejects.toThrow('transit key party-1 at 127.0.0.1');
    await expect(opening).rejects.toThrow('it answered another key than transit:');
  });

  it('is asked again where it may answer then', async () => {
    const path = await newKek('one');
    transit.fault = 'fails once';
    await openKek(path);
    expect(transit.requests).toHaveLength(3);
  });

  it('is not waited for without end', async () => {
    const path = await newKek('one');
    transit.fault = 'hangs';
    await expect(openKek(path)).rejects.toThrow('no answer (TimeoutError)');
  }, 20_000);

  it('is told apart: away, without this key, with another token', async () => {
    const path = await newKek('one');
    transit.revokeToken();
    await expect(openKek(path)).rejects.toThrow('status 403: the token is not let in');
    settings = settingsWith({ key: 'nobody', token_file: write('other', 'another') });
    await expect(makeWrappedKek(settings, 1)).rejects.toThrow('status 404');
    await transit.stop();
    await expect(openKek(path)).rejects.toThrow('no answer (');
  });

  it('cannot pass one KEK off for another, though it wrapped both', async () => {
    const [one, other] = [documentOf(await newKek('one')), documentOf(await newKek('two'))];
    const swapped = write('swapped', JSON.stringify({ ...one, wrapped: other.wrapped }));
    await expect(openKek(swapped)).rejects.toThrow('status 400');
    const renamed = write('renamed', JSON.stringify({ ...other, kek_id: one.kek_id }));
    await expect(openKek(renamed)).rejects.toThrow('status 400');
    await expect(openKekOf(pathOf('one'), 2)).rejects.toThrow('status 400');
    const elsewhere = { ...one, by: { ...one.by, key: 'party-2' } };
    await expect(openKek(write('by', JSON.stringify(elsewhere)))).rejects.toThrow('status 400');
  });
});

describe('what a KEK file and its settings may say', () => {
  it('is private, and so is the token', async () => {
    const path = await newKek('one');
    const content = readFileSync(path);
    await expect(openKek(write('open', content, 0o644))).rejects.toThrow('chmod 600');
    const token_file = write('open-token', transit.token, 0o644);
    const document = { ...documentOf(path), by: { ...documentOf(path).by, token_file } };
    const opening = openKek(write('token-open', JSON.stringify(document)));
    await expect(opening).rejects.toMatchObject({ isFinal: true });
    expect(transit.requests).toHaveLength(1);
  });

  it.each([
    [{ address: 'http://bao.example:8200' }, 'must be https'],
    [{ address: 'bao' }, 'address'],
    [{ key: '../sys/seal' }, 'key'],
    [{ mount: 'a?b' }, 'mount'],
    [{ provider: 'another' }, 'provider'],
    [{ tokens: 'x' }, 'tokens'],
  ])('is not %p', (change, reason) => {
    expect(() => settingsWith(change)).toThrow(reason);
  });

  it('is a whole document', async () => {
    const text = readFileSync(await newKek('one'), 'utf8');
    await expect(openKek(write('cut', text.slice(0, -9)))).rejects.toThrow('not JSON');
    const { half: _, ...rest } = JSON.parse(text) as Document;
    const padded = { ...rest, by: { ...rest.by } };
    await expect(openKek(write('no-half', JSON.stringify(padded)))).rejects.toThrow('half');
  });
});
