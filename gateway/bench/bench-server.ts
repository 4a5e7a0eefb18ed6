/**
 * The obvious server, to hold the vault against: one Express process that verifies its caller and signs with a key
 * in its memory. No parties, no policy, no queue, no record, nothing durable. It takes what the vault takes: the same
 * paths, headers and bodies.
 *
 * `node bench-server.js`, started with an IPC channel, waits for a message `{maths, callers}` (`ServerOrder`) and says `{port}`.
 */
import {
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  type KeyObject,
} from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express, { type Request } from 'express';
import { verifyEd25519 } from '@countersign/core/ed25519.js';
import { transcriptDigest } from '@countersign/core/transcript.js';

interface ServerOrder {
  readonly maths: 'ed25519' | 'hmac' | 'rsa2048' | 'rsa4096';
  /** Private keys, PKCS #8, PEM: their public halves are taken from them before the server listens. */
  readonly callers: readonly { readonly apiKey: string; readonly privateKey: string }[];
}

type SignBody = (body: Buffer) => Buffer;

function messageOf(body: Buffer): Buffer {
  const { message } = JSON.parse(body.toString()) as { message: string };
  return Buffer.from(message, 'base64');
}

function queryOf(body: Buffer): string {
  return (JSON.parse(body.toString()) as { venue_request: { query: string } }).venue_request.query;
}

function rsaSigner(modulusLength: number): SignBody {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength });
  return (body) => sign('sha256', messageOf(body), privateKey);
}

const SIGNERS: Readonly<Record<ServerOrder['maths'], () => SignBody>> = {
  ed25519: () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    return (body) => sign(null, messageOf(body), privateKey);
  },
  hmac: () => {
    const secret = randomBytes(48);
    return (body) => createHmac('sha256', secret).update(queryOf(body)).digest();
  },
  rsa2048: () => rsaSigner(2_048),
  rsa4096: () => rsaSigner(4_096),
};

function isCallers(request: Request, publicKeys: ReadonlyMap<string, Buffer>): boolean {
  const credential = request.get('authorization')?.slice('ApiKey '.length) ?? '';
  const publicKey = publicKeys.get(credential);
  if (publicKey === undefined) return false;
  const header = (name: string, encoding: BufferEncoding) =>
    Buffer.from(request.get(name) ?? '', encoding);
  const [path = '', query = ''] = request.originalUrl.split('?');
  const digest = transcriptDigest({
    method: request.method,
    path,
    query,
    body: request.body as Buffer,
    credential,
    timestampMs: Number(header('x-request-timestamp', 'hex').readBigUInt64LE()),
    nonce: header('x-request-nonce', 'hex'),
  });
  return verifyEd25519(publicKey, digest, header('x-request-assertion', 'base64url'));
}

function rawPublicKey(privateKey: string | KeyObject): Buffer {
  return Buffer.from(createPublicKey(privateKey).export({ format: 'jwk' }).x!, 'base64url');
}

if (process.send === undefined) throw new Error('see the top of this file');
const [{ maths, callers }] = (await once(process, 'message')) as [ServerOrder];
const publicKeys = new Map(callers.map((one) => [one.apiKey, rawPublicKey(one.privateKey)]));
const signBody = SIGNERS[maths]();
const app = express();
app.use(express.raw({ type: () => true }));
app.use((request, response) => {
  if (!isCallers(request, publicKeys)) {
    response.status(401).json({ err_type: 'unauthorized' });
    return;
  }
  response.json({ signature: signBody(request.body as Buffer).toString('base64') });
});
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
process.once('disconnect', () => process.exit(0));
process.send({ port: (server.address() as AddressInfo).port });
