/** Callers that sign all the while, through whichever gateway is ready, as behind a balancer. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { RawClient } from '@countersign/client/raw-client.js';

/** How often the balancer looks, ms: less than half of what a gateway that stops serves on for. */
const LOOK_MS = 200;
/** Between two requests of a caller, ms. */
const PAUSE_MS = 50;
const MAX_TOLD = 20;

export interface RollingLoad {
  setGateway(name: string, url: string): void;
  gateways(): string[];
  start(clientOf: (url: string) => RawClient, target: string): void;
  stop(): Promise<void>;
  /** Answers so far, by what they were. */
  summary(): string;
  /** What was answered otherwise than by 200, 202 or a declared 504, some of it. */
  failures(): readonly string[];
}

export function createRollingLoad(callers: number): RollingLoad {
  const urls = new Map<string, string>();
  const counts = new Map<string, number>();
  const failed: string[] = [];
  let ready: string[] = [];
  let isOver = false;
  let ended: Promise<unknown> = Promise.resolve();
  let slowestMs = 0;

  async function look(): Promise<void> {
    while (!isOver) {
      const looks = [...urls.values()].map(async (url) => {
        const answer = await fetch(`${url}/health/ready`).catch(() => undefined);
        return answer?.ok === true ? [url] : [];
      });
      ready = (await Promise.all(looks)).flat();
      await sleep(LOOK_MS);
    }
  }

  async function call(clientOf: (url: string) => RawClient, target: string, index: number) {
    const clients = new Map<string, RawClient>();
    for (let turn = index; !isOver; turn++) {
      await sleep(PAUSE_MS);
      const url = ready[turn % Math.max(1, ready.length)];
      if (url === undefined) {
        note('no gateway ready', 0);
        continue;
      }
      const client = clients.get(url) ?? clientOf(url);
      clients.set(url, client);
      const body = { message: Buffer.from(`${index} ${turn}`).toString('base64') };
      const begun = performance.now();
      const answer = await client
        .send({ method: 'POST', target, body, headers: { prefer: 'wait=30' } })
        .catch((error: Error) => ({ status: 0, text: error.message }));
      note(answer.status === 0 ? 'no answer' : String(answer.status), performance.now() - begun);
      if (![200, 202, 504].includes(answer.status) && failed.length < MAX_TOLD) {
        failed.push(`${new Date().toISOString()} ${url} ${answer.status} ${answer.text.slice(0, 200)}`);
      }
    }
    for (const client of clients.values()) client.close();
  }

  function note(kind: string, tookMs: number): void {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    slowestMs = Math.max(slowestMs, tookMs);
  }

  return {
    setGateway: (name, url) => void urls.set(name, url),
    gateways: () => [...urls.values()],
    start(clientOf, target) {
      ready = [...urls.values()];
      const calls = Array.from({ length: callers }, (_, index) => call(clientOf, target, index));
      ended = Promise.all([look(), ...calls]);
    },
    async stop() {
      isOver = true;
      await ended;
    },
    summary: () =>
      `${[...counts].map(([kind, count]) => `${count} × ${kind}`).join(', ')}; slowest ${(slowestMs / 1_000).toFixed(1)} s`,
    failures: () => failed,
  };
}
