/** What the load asks for, as bytes on the wire. */
import { createPrivateKey, randomBytes } from 'node:crypto';
import { signRequest } from '@countersign/client/sign-request.js';
import { httpRequest } from './http-connection.js';
import type { LoadJob, Traffic } from './load.js';
import { fillMessage, type PeerRequest } from './peer-endpoint.js';

/** More than the vault is known to answer; with none left the run ends early. */
const SIGNED_PER_SECOND = 3_500;

export function requestsOf(job: LoadJob): Iterator<Buffer> {
  return job.peer === undefined ? signedRequests(job) : peerRequests(job.peer);
}

/** All of them at once: none is signed while the clock runs. */
function signedRequests({ kind, targets, ...job }: LoadJob): Iterator<Buffer> {
  const callers = job.callers.map(({ apiKey, privateKey }) => ({
    apiKey,
    privateKey: createPrivateKey(privateKey),
  }));
  const count = Math.ceil(job.seconds * (job.rate ?? SIGNED_PER_SECOND)) + job.connections;
  const signed = Array.from({ length: count }, (_, index) => {
    const caller = callers[index % callers.length]!;
    const target = targets[Math.floor(index / callers.length) % targets.length]!;
    const body = Buffer.from(JSON.stringify(bodyOf(kind, index)));
    const headers = signRequest(caller, { method: 'POST', target, body, now: Date.now() });
    return httpRequest('POST', target, { ...headers, 'content-type': 'application/json' }, body);
  });
  return signed.values();
}

function bodyOf(kind: Traffic['kind'], index: number): object {
  if (kind === 'venue') return { venue_request: binanceOrder(index) };
  const message = randomBytes(32).toString('base64');
  return kind === 'key' ? { message, message_encoding: 'base64' } : { message };
}

function binanceOrder(index: number): object {
  const terms = 'symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=0.001';
  const query = `${terms}&price=${50_000 + (index % 1_000)}&newClientOrderId=order-${index}`;
  return { channel: 'rest', method: 'POST', path: '/api/v3/order', query };
}

function* peerRequests({ method, target, headers, body }: PeerRequest): Generator<Buffer> {
  for (;;) {
    const filled = Buffer.from(fillMessage(body, randomBytes(32)));
    yield httpRequest(method, target, headers, filled);
  }
}
