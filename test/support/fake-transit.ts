/**
 * A fake of the transit engine of OpenBao or Vault, over HTTP on loopback: the two calls that a party makes, with
 * versions of keys, tokens and the engine's statuses. No such server is at hand; its API is that of its documentation.
 */
import { randomBytes } from 'node:crypto';
import { gcmOpen, gcmSeal, startFakeHttp, type FakeAnswer, type FakeHttp } from './fake-http.ts';

export interface FakeTransit extends FakeHttp {
  readonly token: string;
  /** Whether it makes up what it decrypts. */
  lies: boolean;
  /** The oldest version that it still decrypts with. */
  minVersion: number;
  /** Makes a new version of every key. */
  rotate(): void;
  revokeToken(): void;
}

export async function startFakeTransit(keys: readonly string[]): Promise<FakeTransit> {
  const versions = new Map(keys.map((name) => [name, [randomBytes(32)]]));
  const first = randomBytes(16).toString('hex');
  let token = first;
  const own = {
    token: first,
    lies: false,
    minVersion: 1,
    rotate: () => versions.forEach((of) => of.push(randomBytes(32))),
    revokeToken: () => void (token = 'another'),
  };
  const http = await startFakeHttp(({ url, headers, body }) => {
    if (headers['x-vault-token'] !== token) return refusal(403);
    const [, operation, name = ''] = /^\/v1\/transit\/(encrypt|decrypt)\/(.+)$/.exec(url)!;
    const of = versions.get(name);
    if (of === undefined) return refusal(404);
    const input = JSON.parse(body) as Record<string, string>;
    const done = operation === 'encrypt' ? encrypt(of, input) : decrypt(of, input);
    return done === undefined ? refusal(400) : { status: 200, data: { data: done } };
  });

  function decrypt(of: readonly Buffer[], body: Record<string, string>) {
    const [, version, sealed] = /^vault:v(\d+):(.+)$/.exec(body['ciphertext'] ?? '') ?? [];
    const key = of[Number(version) - 1];
    if (key === undefined || Number(version) < fake.minVersion) return undefined;
    const opened = gcmOpen(key, Buffer.from(sealed!, 'base64'), aadOf(body));
    if (opened === undefined) return undefined;
    return { plaintext: (fake.lies ? randomBytes(32) : opened).toString('base64') };
  }

  const fake: FakeTransit = Object.assign(http, own);
  return fake;
}

const refusal = (status: number): FakeAnswer => ({ status, data: { errors: [] } });

const aadOf = (body: Record<string, string>) =>
  Buffer.from(body['associated_data'] ?? '', 'base64');

function encrypt(of: readonly Buffer[], body: Record<string, string>) {
  const sealed = gcmSeal(of.at(-1)!, Buffer.from(body['plaintext'] ?? '', 'base64'), aadOf(body));
  return { ciphertext: `vault:v${of.length}:${sealed.toString('base64')}` };
}
