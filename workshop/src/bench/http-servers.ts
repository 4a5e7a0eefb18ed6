/** What Express costs a request, on a plain server and on the gateway's own, beside `node:http` alone. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { programPath } from '@countersign/dev/stack/programs.js';
import type { Measured } from './measured.js';

const SERVERS = ['node', 'express', 'fast'] as const;
type Server = (typeof SERVERS)[number];

const CONNECTIONS = 32;
const REQUESTS = 3_000;
const WARM_UP_ROUNDS = 2;
const ROUNDS = 9;

/**
 * In turns, so that whatever else the machine does meets all of them alike; medians of the servers' own processor
 * time.
 */
export async function measureHttpServers(): Promise<Measured> {
  const program = programPath('gateway', 'bench-http', 'bench-dist');
  const children = SERVERS.map((name) => ({ name, child: fork(program, [name]) }));
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  try {
    const ready = await Promise.all(
      children.map(async ({ name, child }) => ({ name, child, port: await portOf(child) })),
    );
    const costs = new Map<Server, number[]>(SERVERS.map((name) => [name, []]));
    for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
      for (const { name, child, port } of ready) {
        const cost = await costOfRound(child, agent, port);
        if (round >= WARM_UP_ROUNDS) costs.get(name)!.push(cost);
      }
    }
    const [node, express, fast] = SERVERS.map((name) => median(costs.get(name)!));
    return {
      name: 'server CPU µs per request',
      figures: {
        node_http: node!,
        express_on_plain_server: express!,
        express_on_fast_server: fast!,
        plain_by_fast: express! / fast!,
      },
    };
  } finally {
    agent.destroy();
    for (const { child } of children) child.disconnect();
  }
}

async function portOf(child: ChildProcess): Promise<number> {
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return port;
}

async function costOfRound(child: ChildProcess, agent: http.Agent, port: number): Promise<number> {
  const before = await cpuOf(child);
  let left = REQUESTS;
  const askInTurn = async () => {
    while (left-- > 0) await ask(agent, port);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, askInTurn));
  return ((await cpuOf(child)) - before) / REQUESTS;
}

async function cpuOf(child: ChildProcess): Promise<number> {
  child.send('cpu');
  const [{ cpuUs }] = (await once(child, 'message')) as [{ cpuUs: number }];
  return cpuUs;
}

async function ask(agent: http.Agent, port: number): Promise<void> {
  const request = http.get({ agent, host: '127.0.0.1', port, path: '/answer' });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`answered ${response.statusCode}`);
  response.resume();
  await once(response, 'end');
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
