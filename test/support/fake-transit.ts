/**
 * A fake of the transit engine of OpenBao or Vault, over HTTP on loopback: the two calls that a party makes, with
 * versions of keys, tokens and the engine's statuses. No such server is at hand; its API is that of its documentation.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeTransit {
  readonly address: string;
  readonly token: string;
  readonly requests: readonly string[];
  /** What it does from now on. */
  behaviour: 'works' | 'sealed' | 'hangs' | 'floods' | 'redirects' | 'nonsense' | 'other half';
  /** The oldest version that it still decrypts with. */
  minVersion: number;
  /** Makes a new version of every key. */
  rotate(): void;
  revokeToken(): void;
  /** As one that is taken off the network; `start` brings it back at its address. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

export async function startFakeTransit(keys: readonly string[]): Promise<FakeTransit> {
  const versions = new Map(keys.map((name) => [name, [randomBytes(32)]]));
  const requests: string[] = [];
  let token = randomBytes(16).toString('hex');
  let port = 0;
  let server = createServer();
  const fake: FakeTransit = {
    get address() {
      return `http://127.0.0.1:${port}`;
    },
    token,
    requests,
    behaviour: 'works',
    minVersion: 1,
    rotate: () => versions.forEach((of) => of.push(randomBytes(32))),
    revokeToken: () => void (token = 'another'),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
    async start() {
      server = createServer((request, response) => void answer(request, response));
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      port = (server.address() as AddressInfo).port;
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await textOf(request)) as Record<string, string>;
    requests.push(request.url ?? '');
    const say = (status: number, data: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(data));
    if (fake.behaviour === 'hangs') return;
    if (fake.behaviour === 'sealed') return void say(503, { errors: ['Vault is sealed'] });
    if (fake.behaviour === 'nonsense') return void say(200, { data: {} });
    if (fake.behaviour === 'redirects')
      return void response.writeHead(307, { location: '/' }).end();
    if (fake.behaviour === 'floods') return flood(response);
    if (request.headers['x-vault-token'] !== token) return void say(403, { errors: [] });
    const [, operation, name = ''] = /^\/v1\/transit\/(encrypt|decrypt)\/(.+)$/.exec(request.url!)!;
    const of = versions.get(name);
    if (of === undefined) return void say(404, { errors: [] });
    const done = operation === 'encrypt' ? encrypt(of, body) : decrypt(of, body);
    return void say(done === undefined ? 400 : 200, { data: done });
  }

  function decrypt(of: readonly Buffer[], body: Record<string, string>) {
    const [, version, sealed] = /^vault:v(\d+):(.+)$/.exec(body['ciphertext'] ?? '') ?? [];
    const key = of[Number(version) - 1];
    if (key === undefined || Number(version) < fake.minVersion) return undefined;
    const opened = open(key, Buffer.from(sealed!, 'base64'), aadOf(body));
    if (opened === undefined) return undefined;
    const plaintext = fake.behaviour === 'other half' ? randomBytes(32) : opened;
    return { plaintext: plaintext.toString('base64') };
  }

  await fake.start();
  return fake;
}

const aadOf = (body: Record<string, string>) =>
  Buffer.from(body['associated_data'] ?? '', 'base64');

function encrypt(of: readonly Buffer[], body: Record<string, string>) {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', of.at(-1)!, nonce).setAAD(aadOf(body));
  const sealed = [
    cipher.update(Buffer.from(body['plaintext'] ?? '', 'base64')),
    cipher.final(),
    cipher.getAuthTag(),
  ];
  const ciphertext = Buffer.concat([nonce, ...sealed]).toString('base64');
  return { ciphertext: `vault:v${of.length}:${ciphertext}` };
}

function open(key: Buffer, bytes: Buffer, aad: Buffer): Buffer | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAAD(aad);
  decipher.setAuthTag(bytes.subarray(-16));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
  } catch {
    return undefined;
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

function flood(response: ServerResponse): void {
  const write = (): void => {
    if (!response.destroyed && response.write(Buffer.alloc(65_536, 32))) setImmediate(write);
  };
  response.on('drain', write);
  write();
}
