/** Callers that sign all the while, through whichever gateway is ready, as behind a balancer. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { RawClient } from '@countersign/client/raw-client.js';

/** How often the balancer looks, ms: less than half of what a gateway that stops serves on for. */
const LOOK_MS = 200;
/** Between two requests of a caller, ms. */
const PAUSE_MS = 50;
const MAX_TOLD = 20;

type ClientOf = (url: string) => RawClient;

export class RollingLoad {
  readonly #callers: number;
  readonly #urls = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  /** What was answered otherwise than by 200, 202 or a declared 504, some of it. */
  readonly failures: string[] = [];
  #ready: string[] = [];
  #isOver = false;
  #ended: Promise<unknown> = Promise.resolve();
  #slowestMs = 0;

  constructor(callers: number) {
    this.#callers = callers;
  }

  setGateway(name: string, url: string): void {
    this.#urls.set(name, url);
  }

  get gateways(): string[] {
    return [...this.#urls.values()];
  }

  start(clientOf: ClientOf, target: string): void {
    this.#ready = this.gateways;
    const calls = Array.from({ length: this.#callers }, (_, index) =>
      this.#call(clientOf, target, index),
    );
    this.#ended = Promise.all([this.#look(), ...calls]);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#ended;
  }

  /** Answers so far, by what they were. */
  get summary(): string {
    const counts = [...this.#counts].map(([kind, count]) => `${count} × ${kind}`).join(', ');
    return `${counts}; slowest ${(this.#slowestMs / 1_000).toFixed(1)} s`;
  }

  /** As a balancer does. */
  async #look(): Promise<void> {
    while (!this.#isOver) {
      const looks = this.gateways.map(async (url) => {
        const answer = await fetch(`${url}/health/ready`).catch(() => undefined);
        return answer?.ok === true ? [url] : [];
      });
      this.#ready = (await Promise.all(looks)).flat();
      await sleep(LOOK_MS);
    }
  }

  async #call(clientOf: ClientOf, target: string, index: number): Promise<void> {
    const clients = new Map<string, RawClient>();
    for (let turn = index; !this.#isOver; turn++) {
      await sleep(PAUSE_MS);
      const url = this.#ready[turn % Math.max(1, this.#ready.length)];
      if (url === undefined) {
        this.#fail('no gateway ready', 'no gateway was ready');
        continue;
      }
      const client = clients.get(url) ?? clientOf(url);
      clients.set(url, client);
      await this.#ask(client, target, `${index} ${turn}`);
    }
    for (const client of clients.values()) client.close();
  }

  async #ask(client: RawClient, target: string, text: string): Promise<void> {
    const begun = performance.now();
    const body = { message: Buffer.from(text).toString('base64') };
    try {
      const headers = { prefer: 'wait=30' };
      const answer = await client.send({ method: 'POST', target, body, headers });
      if ([200, 202, 504].includes(answer.status)) this.#count(String(answer.status));
      else this.#fail(String(answer.status), answer.text);
    } catch (error) {
      this.#fail('no answer', String(error));
    }
    this.#slowestMs = Math.max(this.#slowestMs, performance.now() - begun);
  }

  #count(kind: string): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }

  #fail(kind: string, text: string): void {
    this.#count(kind);
    const line = `${new Date().toISOString()} ${kind} ${text.slice(0, 200)}`;
    if (this.failures.length < MAX_TOLD) this.failures.push(line);
  }
}
