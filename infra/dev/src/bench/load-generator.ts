/**
 * The load, as a process of its own: signs its requests before the clock starts, and sends them over
 * plain sockets, so that it takes little of the processor that it measures.
 */
import { createPrivateKey, randomBytes, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { signRequest } from '@countersign/client/sign-request.js';
import type { LoadJob, LoadMessage, LoadResult } from './load-job.js';

/** More than the vault is known to answer; with none left the run ends early. */
const SIGNED_PER_SECOND = 3_500;
const DRAIN_MS = 5_000;
const HEAD_END = Buffer.from('\r\n\r\n');

interface Answer {
  readonly status: number;
  readonly ms: number;
}

async function run(job: LoadJob): Promise<void> {
  const requests = job.kind === 'read' ? readRequests(job) : signedRequests(job);
  const connections = await Promise.all(
    Array.from({ length: job.connections }, () => openConnection(job.port)),
  );
  tell({ event: 'ready' });
  await once(process, 'message');
  const startedAt = performance.now();
  const answers =
    job.rate === undefined
      ? await closedLoop(connections, requests, job.seconds)
      : await openLoop(connections, requests, job.seconds, job.rate);
  const seconds = (performance.now() - startedAt) / 1_000;
  for (const connection of connections) connection.close();
  tell({ event: 'done', result: summarise(answers, seconds) });
}

/** Each connection sends its next request when the last is answered. */
async function closedLoop(
  connections: readonly Connection[],
  requests: Iterator<Buffer>,
  seconds: number,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  const deadline = performance.now() + seconds * 1_000;
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < deadline) {
        const { value, done } = requests.next();
        if (done === true) return;
        const sentAt = performance.now();
        const status = await connection.ask(value);
        answers.push({ status, ms: performance.now() - sentAt });
        if (status === 0) return;
      }
    }),
  );
  return answers;
}

/** Sends at fixed times; latency counts from the time due, so that a stall is not left out. */
async function openLoop(
  connections: readonly Connection[],
  requests: Iterator<Buffer>,
  seconds: number,
  rate: number,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  const idle = [...connections];
  const due: number[] = [];
  const total = Math.floor(seconds * rate);
  const startedAt = performance.now();
  let sent = 0;

  function sendDue(): void {
    while (due.length > 0 && idle.length > 0) {
      const dueAt = due.shift()!;
      const connection = idle.pop()!;
      const { value } = requests.next() as { value: Buffer };
      void connection.ask(value).then((status) => {
        answers.push({ status, ms: performance.now() - dueAt });
        if (status !== 0) idle.push(connection);
        sendDue();
      });
    }
  }

  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const now = performance.now();
      for (; sent < total && startedAt + (sent * 1_000) / rate <= now; sent++) {
        due.push(startedAt + (sent * 1_000) / rate);
      }
      sendDue();
      const isOver = now > startedAt + seconds * 1_000 + DRAIN_MS;
      if (answers.length < total && !isOver) return;
      clearInterval(timer);
      resolve();
    }, 1);
  });
  return answers;
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

function* readRequests({ callers, targets }: LoadJob): Generator<Buffer> {
  const requests = targets.map((target, index) => {
    const { apiKey } = callers[index % callers.length]!;
    return httpRequest('GET', target, { authorization: `ApiKey ${apiKey}` });
  });
  for (;;) yield* requests;
}

function httpRequest(
  method: string,
  target: string,
  headers: Record<string, string>,
  body: Buffer = Buffer.alloc(0),
): Buffer {
  const length: Record<string, string> =
    method === 'GET' ? {} : { 'content-length': String(body.length) };
  const fields = Object.entries({ host: '127.0.0.1', ...headers, ...length });
  const head = [
    `${method} ${target} HTTP/1.1`,
    ...fields.map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.concat([Buffer.from(head.join('\r\n')), HEAD_END, body]);
}

interface Connection {
  /** The answer's status; 0 when the connection broke. One at a time. */
  ask(request: Buffer): Promise<number>;
  close(): void;
}

/** HTTP/1.1 as this service speaks it: every answer has a content-length. */
async function openConnection(port: number): Promise<Connection> {
  const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  let resolve: ((status: number) => void) | undefined;
  let isBroken = false;
  let status = 0;
  let missing = 0;
  let head: Buffer | undefined;

  function finish(value: number): void {
    const done = resolve;
    resolve = undefined;
    done?.(value);
  }

  function receive(chunk: Buffer): void {
    if (missing > 0) {
      missing -= chunk.length;
    } else {
      const text = head === undefined ? chunk : Buffer.concat([head, chunk]);
      const end = text.indexOf(HEAD_END);
      head = end < 0 ? text : undefined;
      if (end < 0) return;
      const fields = text.toString('latin1', 0, end);
      status = Number(fields.slice(9, 12));
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(fields)?.[1]);
      missing = end + HEAD_END.length + length - text.length;
    }
    if (missing === 0) finish(status);
  }

  function breakOff(): void {
    isBroken = true;
    finish(0);
  }

  socket.on('data', receive).on('error', breakOff).on('close', breakOff);
  return {
    ask: (request) =>
      new Promise((answered) => {
        if (isBroken) return answered(0);
        resolve = answered;
        socket.write(request);
      }),
    close: () => void socket.destroy(),
  };
}

function summarise(answers: readonly Answer[], seconds: number): LoadResult {
  const sorted = answers.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const quantile = (q: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
  const statuses: Record<string, number> = {};
  for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
  return {
    answers: answers.length,
    seconds,
    p50Ms: quantile(0.5) ?? Number.NaN,
    p99Ms: quantile(0.99) ?? Number.NaN,
    maxMs: sorted.at(-1) ?? Number.NaN,
    statuses,
  };
}

function tell(message: LoadMessage): void {
  process.send!(message);
}

process.once('disconnect', () => process.exit(0));
const [job] = (await once(process, 'message')) as [LoadJob];
await run(job); // it stays until it is ended: its processor time is read first
