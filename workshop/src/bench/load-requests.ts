/** What the load asks for, as bytes on the wire. */
import { createPrivateKey, randomBytes } from 'node:crypto';
import { signRequest } from '@countersign/client/sign-request.js';
import { httpRequest } from './http-connection.js';
import type { LoadJob, Traffic } from './load.js';
import { fillMessage, type PeerRequest } from './peer-endpoint.js';

/** More than the vault is known to answer, and to sign; with none left the run ends early. */
const REQUESTS_PER_SECOND = 3_500;
const ITEMS_PER_SECOND = 20_000;

export function requestsOf(job: LoadJob): Iterator<Buffer> {
  return job.peer === undefined ? signedRequests(job) : peerRequests(job.peer);
}

/** All of them at once: none is signed while the clock runs. */
function signedRequests({ kind, targets, itemsEach = 1, ...job }: LoadJob): Iterator<Buffer> {
  const callers = job.callers.map(({ apiKey, privateKey }) => ({
    apiKey,
    privateKey: createPrivateKey(privateKey),
  }));
  const most = Math.min(REQUESTS_PER_SECOND, ITEMS_PER_SECOND / itemsEach);
  const count = Math.ceil(job.seconds * (job.rate ?? most)) + job.connections;
  const signed = Array.from({ length: count }, (_, index) => {
    const caller = callers[index % callers.length]!;
    const target = targets[Math.floor(index / callers.length) % targets.length]!;
    const asked = itemsEach === 1 ? bodyOf(kind, index) : batchOf(kind, index, itemsEach);
    const body = Buffer.from(JSON.stringify(asked));
    const headers = signRequest(caller, { method: 'POST', target, body, now: Date.now() });
    return httpRequest('POST', target, { ...headers, 'content-type': 'application/json' }, body);
  });
  return signed.values();
}

function bodyOf(kind: Traffic['kind'], index: number): object {
  if (kind === 'venue') return { venue_request: binanceOrder(index) };
  const message = randomMessage();
  return kind === 'key' ? { message, message_encoding: 'base64' } : { message };
}

function batchOf(kind: Traffic['kind'], index: number, itemsEach: number): object {
  const items = <Item>(make: (at: number) => Item) =>
    Array.from({ length: itemsEach }, (_, at) => make(index * itemsEach + at));
  return kind === 'venue'
    ? { venue_requests: items(binanceOrder) }
    : { messages: items(randomMessage) };
}

function randomMessage(): string {
  return randomBytes(32).toString('base64');
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
