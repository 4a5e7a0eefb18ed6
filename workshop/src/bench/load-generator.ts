/**
 * The load, as a process of its own: signs its requests before the clock starts, and sends them over
 * plain sockets, so that it takes little of the processor that it measures.
 */
import { once } from 'node:events';
import { openConnection, type Connection } from './http-connection.js';
import type { LoadJob, LoadResult } from './load.js';
import { requestsOf } from './load-requests.js';
import { evenSchedule, runOpenLoop, type Answer, type Clock } from './open-loop.js';

const DRAIN_MS = 5_000;

const CLOCK: Clock = {
  now: () => performance.now(),
  onTick(callback) {
    const timer = setInterval(callback, 1);
    return () => clearInterval(timer);
  },
};

async function run(job: LoadJob): Promise<void> {
  const requests = requestsOf(job);
  const connections = await Promise.all(
    Array.from({ length: job.connections }, () => openConnection(job)),
  );
  process.send!('ready');
  await once(process, 'message');
  const startedAt = performance.now();
  const answers =
    job.rate === undefined
      ? await closedLoop(connections, requests, job.seconds)
      : await openLoop(connections, requests, job.seconds, job.rate);
  const seconds = (performance.now() - startedAt) / 1_000;
  for (const connection of connections) connection.close();
  process.send!(summarise(answers, seconds, job.itemsEach));
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

async function openLoop(
  connections: readonly Connection[],
  requests: Iterator<Buffer>,
  seconds: number,
  rate: number,
): Promise<Answer[]> {
  const senders = connections.map((connection) => ({
    ask: () => connection.ask(requests.next().value as Buffer),
  }));
  return runOpenLoop(evenSchedule(rate, seconds), senders, CLOCK, DRAIN_MS);
}

function summarise(answers: readonly Answer[], seconds: number, itemsEach = 1): LoadResult {
  const statuses: Record<string, number> = {};
  for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
  const latenciesMs = answers.map(({ ms }) => ms);
  return {
    answers:
      itemsEach > 1
        ? (statuses['200'] ?? 0) * itemsEach
        : answers.length - (statuses['unanswered'] ?? 0),
    seconds,
    latenciesMs,
    statuses,
  };
}

process.once('disconnect', () => process.exit(0));
const [job] = (await once(process, 'message')) as [LoadJob];
await run(job); // it stays until it is ended: its processor time is read first
