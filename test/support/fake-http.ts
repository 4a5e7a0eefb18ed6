/** An HTTP server on loopback that stands for a provider of keys: it answers as it should, or fails in some way. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface FakeAnswer {
  readonly status: number;
  readonly data: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Fault =
  | 'works'
  | 'hangs'
  | 'floods'
  | 'redirects'
  | 'nonsense'
  | 'fails'
  | 'fails once';

export interface FakeHttp {
  readonly address: string;
  readonly requests: readonly FakeRequest[];
  /** What it does from now on. */
  fault: Fault;
  /** As one that is taken off the network; `start` brings it back at its address. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** `answer`: for one that works. `isAffected`: whether a fault concerns this request. */
export async function startFakeHttp(
  answer: (request: FakeRequest) => FakeAnswer,
  isAffected: (request: FakeRequest) => boolean = () => true,
): Promise<FakeHttp> {
  const requests: FakeRequest[] = [];
  let port = 0;
  let server = createServer();
  const fake: FakeHttp = {
    get address() {
      return `http://127.0.0.1:${port}`;
    },
    requests,
    fault: 'works',
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
    async start() {
      server = createServer((request, response) => void receive(request, response));
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      port = (server.address() as AddressInfo).port;
    },
  };

  async function receive(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = message;
    const request = { method, url, headers, body: await textOf(message) };
    requests.push(request);
    const say = ({ status, data, headers: more = {} }: FakeAnswer) =>
      void response
        .writeHead(status, { 'content-type': 'application/json', ...more })
        .end(JSON.stringify(data));
    switch (isAffected(request) ? fake.fault : 'works') {
      case 'works':
        return say(answer(request));
      case 'hangs':
        return;
      case 'floods':
        return flood(response);
      case 'redirects':
        return void response.writeHead(307, { location: '/elsewhere' }).end();
      case 'nonsense':
        return say({ status: 200, data: { data: {} } });
      case 'fails once':
        fake.fault = 'works';
        return say({ status: 503, data: {} });
      case 'fails':
        return say({ status: 503, data: { errors: ['a secret of a stranger'] } });
    }
  }

  await fake.start();
  return fake;
}

export function gcmSeal(key: Buffer, secret: Buffer, aad: Buffer): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(aad);
  return Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
}

/** Undefined where the key or the associated data is another. */
export function gcmOpen(key: Buffer, bytes: Buffer, aad: Buffer): Buffer | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAAD(aad);
    decipher.setAuthTag(bytes.subarray(-16));
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
