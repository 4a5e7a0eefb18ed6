/** What the load asks for, as bytes on the wire. */
import { createPrivateKey, randomBytes, type KeyObject } from 'node:crypto';
import { signRequest } from '@countersign/client/sign-request.js';
import { httpRequest } from './http-connection.js';
import type { LoadJob } from './load-job.js';
import { fillMessage, type PeerRequest } from './peer-endpoint.js';

/** More than the vault is known to answer; with none left the run ends early. */
const SIGNED_PER_SECOND = 3_500;

export function requestsOf(job: LoadJob): Iterator<Buffer> {
  if (job.kind === 'read') return readRequests(job);
  return job.peer === undefined ? signedRequests(job) : peerRequests(job.peer);
}

/** All of them at once: none is signed while the clock runs. */
function signedRequests(job: LoadJob): Iterator<Buffer> {
  const callers = job.callers.map(({ apiKey, privateKey }) => ({
    apiKey,
    privateKey: createPrivateKey(privateKey),
  }));
  const count = Math.ceil(job.seconds * (job.rate ?? SIGNED_PER_SECOND)) + job.connections;
  const signed = Array.from({ length: count }, (_, index) =>
    signedRequest(
      callers[index % callers.length]!,
      job.targets[Math.floor(index / callers.length) % job.targets.length]!,
      bodyOf(job.kind, index),
    ),
  );
  return signed.values();
}

function bodyOf(kind: LoadJob['kind'], index: number): object {
  const message = randomBytes(32).toString('base64');
  switch (kind) {
    case 'venue':
      return { venue_request: binanceOrder(index) };
    case 'stuffed':
      return { venue_request: stuffedOrder(index) };
    case 'key':
      return { message, message_encoding: 'base64' };
    default:
      return { message };
  }
}

function binanceOrder(index: number): object {
  const terms = 'symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=0.001';
  const query = `${terms}&price=${50_000 + (index % 1_000)}&newClientOrderId=order-${index}`;
  return { channel: 'rest', method: 'POST', path: '/api/v3/order', query };
}

/** As long as a body for a venue may be, and each of its thousands of names unknown to the venue. */
function stuffedOrder(index: number): object {
  const names = Array.from({ length: 10_000 }, (_, n) => `${n.toString(36)}Q=`).join('&');
  const body = `newClientOrderId=order-${index}&${names}`.slice(0, 65_000);
  return { channel: 'rest', method: 'POST', path: '/api/v3/order', body };
}

function signedRequest(
  caller: { apiKey: string; privateKey: KeyObject },
  target: string,
  fields: object,
): Buffer {
  const body = Buffer.from(JSON.stringify(fields));
  const headers = signRequest(caller, { method: 'POST', target, body, now: Date.now() });
  return httpRequest('POST', target, { ...headers, 'content-type': 'application/json' }, body);
}

function* peerRequests({ method, target, headers, body }: PeerRequest): Generator<Buffer> {
  for (;;) {
    const filled = Buffer.from(fillMessage(body, randomBytes(32)));
    yield httpRequest(method, target, headers, filled);
  }
}

function* readRequests({ callers, targets }: LoadJob): Generator<Buffer> {
  const requests = targets.map((target, index) => {
    const { apiKey } = callers[index % callers.length]!;
    return httpRequest('GET', target, { authorization: `ApiKey ${apiKey}` });
  });
  for (;;) yield* requests;
}
