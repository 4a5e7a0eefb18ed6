/**
 * A fake of Azure Key Vault, over HTTP on loopback: `wrapkey` and `unwrapkey` of its REST API for RSA keys, and the
 * endpoint by which Microsoft's own library finds the token of a managed identity. It can lie.
 */
import {
  constants,
  generateKeyPairSync,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import { startFakeHttp, type FakeAnswer, type FakeHttp } from './fake-http.ts';

type Lie = 'nothing' | 'half' | 'key' | 'context';

export interface FakeKeyVault extends FakeHttp {
  readonly keys: readonly [string, string];
  readonly environment: Readonly<Record<string, string>>;
  lie: Lie;
  /** The status that it answers instead. */
  refuses: number | undefined;
  /** Wraps as whoever knows the public half. */
  wrapByAnybody(key: string, secret: Uint8Array): string;
}

const [TOKEN, IDENTITY_HEADER] = ['eyJ.of-a-machine', 'the secret of the identity'];
const VERSIONS = ['1', '2'].map((digit) => digit.repeat(32));
const oaep = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };

export async function startFakeKeyVault(): Promise<FakeKeyVault> {
  const pairs = VERSIONS.map(() => generateKeyPairSync('rsa', { modulusLength: 2048 }));
  const http = await startFakeHttp(
    (request) => {
      const url = new URL(request.url, 'http://fake');
      if (url.pathname === '/msi/token') return ofIdentity(url, request.headers);
      if (fake.refuses !== undefined) return refusal(fake.refuses);
      if (request.headers.authorization !== `Bearer ${TOKEN}`) return refusal(401);
      const [, version = '', operation] =
        /^\/keys\/countersign\/([0-9a-f]+)\/(wrapkey|unwrapkey)$/.exec(url.pathname) ?? [];
      const pair = pairs[VERSIONS.indexOf(version)];
      if (pair === undefined || url.search !== '?api-version=7.4') return refusal(404);
      const { alg, value = '' } = JSON.parse(request.body) as Record<string, string>;
      if (alg !== 'RSA-OAEP-256') return refusal(400);
      const input = Buffer.from(value, 'base64url');
      const done =
        operation === 'wrapkey'
          ? publicEncrypt({ ...oaep, key: pair.publicKey }, input)
          : unwrap(pair.privateKey, input);
      if (done === undefined) return refusal(400);
      const kid = fake.lie === 'key' ? fake.keys[1] : fake.keys[VERSIONS.indexOf(version)];
      return { status: 200, data: { kid, value: done.toString('base64url') } };
    },
    ({ url }) => !url.startsWith('/msi/'),
  );

  function unwrap(key: KeyObject, input: Buffer): Buffer | undefined {
    try {
      const inner = privateDecrypt({ ...oaep, key }, input);
      if (fake.lie === 'half') return Buffer.concat([randomBytes(32), inner.subarray(32)]);
      return fake.lie === 'context' ? randomBytes(64) : inner;
    } catch {
      return undefined;
    }
  }

  function ofIdentity(url: URL, headers: Readonly<Record<string, unknown>>): FakeAnswer {
    const resource = url.searchParams.get('resource') ?? '';
    const isHere = headers['x-identity-header'] === IDENTITY_HEADER;
    if (!isHere || resource !== 'https://vault.azure.net') return refusal(401);
    const expires_on = Math.floor(Date.now() / 1_000) + 3_600;
    const data = { access_token: TOKEN, expires_on, resource, token_type: 'Bearer' };
    return { status: 200, data };
  }

  const [first = '', second = ''] = VERSIONS.map(
    (version) => `${http.address}/keys/countersign/${version}`,
  );
  const fake: FakeKeyVault = Object.assign(http, {
    keys: [first, second] as const,
    environment: {
      IDENTITY_ENDPOINT: `${http.address}/msi/token`,
      IDENTITY_HEADER,
      AZURE_TOKEN_CREDENTIALS: 'prod',
    },
    lie: 'nothing' as Lie,
    refuses: undefined as number | undefined,
    wrapByAnybody: (key: string, secret: Uint8Array) => {
      const { publicKey } = pairs[fake.keys.indexOf(key)]!;
      return publicEncrypt({ ...oaep, key: publicKey }, secret).toString('base64url');
    },
  });
  return fake;
}

const refusal = (status: number): FakeAnswer => ({
  status,
  data: { error: { code: 'Forbidden', message: 'a secret of a stranger' } },
});
