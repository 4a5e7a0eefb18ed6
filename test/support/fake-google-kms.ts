/**
 * A fake of Google Cloud KMS, over HTTP on loopback: the calls `encrypt` and `decrypt` of its REST API with their
 * checksums, and the metadata server by which Google's own library finds a token on a machine of theirs. It can lie.
 */
import { randomBytes } from 'node:crypto';
import { crc32c } from '../../signer/src/secrets/kek/crc32c.js';
import { gcmOpen, gcmSeal, startFakeHttp, type FakeAnswer, type FakeHttp } from './fake-http.ts';

type Lie = 'nothing' | 'half' | 'key' | 'checksum' | 'plaintext' | 'authenticated data' | 'context';

export interface FakeGoogleKms extends FakeHttp {
  readonly keys: readonly [string, string];
  readonly environment: Readonly<Record<string, string>>;
  lie: Lie;
  /** The status that it answers instead. */
  refuses: number | undefined;
  /** Makes a new primary version of every key. */
  rotate(): void;
}

type Fields = Readonly<Record<string, string>>;

const keyOf = (name: string) =>
  `projects/desk/locations/europe-west3/keyRings/countersign/cryptoKeys/${name}`;
const TOKEN = 'ya29.of-a-machine';
const METADATA = '/computeMetadata/';

export async function startFakeGoogleKms(): Promise<FakeGoogleKms> {
  const keys = [keyOf('party-1'), keyOf('party-2')] as const;
  const versions = new Map<string, Buffer[]>(keys.map((key) => [key, [randomBytes(32)]]));
  const http = await startFakeHttp(
    ({ url, headers, body }) => {
      if (url.startsWith(METADATA)) return ofMachine(url);
      if (fake.refuses !== undefined) return refusal(fake.refuses);
      if (headers.authorization !== `Bearer ${TOKEN}`) return refusal(401);
      const [, key = '', operation] = /^\/v1\/(.+):(encrypt|decrypt)$/.exec(url) ?? [];
      const of = versions.get(key);
      if (of === undefined) return refusal(404);
      const fields = JSON.parse(body) as Fields;
      if (!hasChecksums(fields)) return refusal(400);
      const done = operation === 'encrypt' ? encrypt(key, of, fields) : decrypt(of, fields);
      return done === undefined ? refusal(400) : { status: 200, data: done };
    },
    ({ url }) => !url.startsWith(METADATA),
  );
  const sumOf = (bytes: Uint8Array) =>
    String(fake.lie === 'checksum' ? (crc32c(bytes) ^ 1) >>> 0 : crc32c(bytes));

  function encrypt(key: string, of: readonly Buffer[], fields: Fields) {
    const sealed = gcmSeal(of.at(-1)!, bytesOf(fields, 'plaintext'), aadOf(fields));
    const ciphertext = Buffer.concat([Buffer.of(of.length), sealed]);
    return {
      name: `${fake.lie === 'key' ? keys[1] : key}/cryptoKeyVersions/${of.length}`,
      ciphertext: ciphertext.toString('base64'),
      ciphertextCrc32c: sumOf(ciphertext),
      verifiedPlaintextCrc32c: fake.lie !== 'plaintext',
      verifiedAdditionalAuthenticatedDataCrc32c: fake.lie !== 'authenticated data',
      protectionLevel: 'HSM',
    };
  }

  function decrypt(of: readonly Buffer[], fields: Fields) {
    const bytes = bytesOf(fields, 'ciphertext');
    const key = of[(bytes[0] ?? 0) - 1];
    const isMadeUp = fake.lie === 'half' || fake.lie === 'context';
    const opened = isMadeUp
      ? randomBytes(32)
      : key && gcmOpen(key, bytes.subarray(1), aadOf(fields));
    if (opened === undefined) return undefined;
    return { plaintext: opened.toString('base64'), plaintextCrc32c: sumOf(opened) };
  }

  const fake: FakeGoogleKms = Object.assign(http, {
    keys,
    environment: { GCE_METADATA_HOST: new URL(http.address).host },
    lie: 'nothing' as Lie,
    refuses: undefined as number | undefined,
    rotate: () => versions.forEach((of) => of.push(randomBytes(32))),
  });
  return fake;
}

function ofMachine(url: string): FakeAnswer {
  const headers = { 'metadata-flavor': 'Google' };
  if (!url.includes('/token')) return { status: 200, data: {}, headers };
  const data = { access_token: TOKEN, expires_in: 3_599, token_type: 'Bearer' };
  return { status: 200, data, headers };
}

const refusal = (status: number): FakeAnswer => ({
  status,
  data: { error: { code: status, message: 'a secret of a stranger' } },
});

const bytesOf = (fields: Fields, name: string) => Buffer.from(fields[name] ?? '', 'base64');
const aadOf = (fields: Fields) => bytesOf(fields, 'additionalAuthenticatedData');

function hasChecksums(fields: Fields): boolean {
  const names = Object.keys(fields).filter((name) => !name.endsWith('Crc32c'));
  return names.every((name) => fields[`${name}Crc32c`] === String(crc32c(bytesOf(fields, name))));
}
