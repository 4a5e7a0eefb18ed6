/**
 * Makes RSA-2048 keys ahead, one at a time, while nothing else is asked for. Party 1 calls the runs;
 * another party joins while it is short of stock itself, so nobody can keep it busy beyond that.
 */
import { randomUUID } from 'node:crypto';
import type { Replica } from '@countersign/shared/jobs/replica.js';
import type { Logger } from '@countersign/shared/logger.js';
import type { PartyMessage } from '../channel/messages.js';
import type { CompletedShare } from '../threads/thread-tasks.js';
import {
  callRun,
  createRunSender,
  decodeRunStart,
  type CeremonyInboxes,
  type CeremonyRun,
  type RunCallerDeps,
  type RunStart,
} from './ceremony-run.js';
import type { RsaStockStore } from './rsa-stock-store.js';

const CALLER = 1;
const CHECK_MS = 2_000;
export const STOCK_START = 'stock-start';
export const STOCK_MODULUS_BITS = 2048;

type CeremonyMessage = Extract<PartyMessage, { kind: 'ceremony' }>;

export interface RsaStockMakerDeps extends RunCallerDeps {
  /** Keys to have ready; 0: none are made. */
  readonly target: number;
  /** Nothing is made in the first while after the start. */
  readonly delayMs: number;
  readonly inboxes: CeremonyInboxes;
  readonly store: RsaStockStore;
  readonly logger: Logger;
  readonly now: () => number;
  /** Whether nothing that somebody waits for needs the processor now. */
  isIdle(): boolean;
  generate(run: CeremonyRun, modulusBits: number): Promise<CompletedShare>;
}

export interface RsaStockMaker {
  /** A message with the tag `STOCK_START`. */
  receive(from: Replica, message: CeremonyMessage): void;
  /** Ends the run under way: a key that somebody waits for comes first. */
  yieldToKeys(): void;
  stop(): void;
}

export function openRsaStockMaker(deps: RsaStockMakerDeps): RsaStockMaker {
  const { self, inboxes, store, now } = deps;
  const startedAt = now();
  let current: AbortController | undefined;

  async function takePart(session: string, stockId: string, { replicas }: RunStart): Promise<void> {
    current?.abort();
    const controller = new AbortController();
    current = controller;
    const send = createRunSender({ session, keyId: stockId, replicas }, deps.send);
    const inbox = inboxes.open(session);
    const { signal } = controller;
    try {
      const share = await deps.generate(
        { self, session, keyId: stockId, replicas, stockId: '', inbox, signal, send },
        STOCK_MODULUS_BITS,
      );
      await store.insert({ ...share, stockId, modulusBits: STOCK_MODULUS_BITS });
    } finally {
      inboxes.drop(session);
      controller.abort();
      if (current === controller) current = undefined;
    }
  }

  async function call(): Promise<void> {
    const isTime = now() - startedAt >= deps.delayMs;
    if (!isTime || current !== undefined || !(await isWanted())) return;
    const stockId = randomUUID();
    const run = await callRun(deps, { tag: STOCK_START, keyId: stockId, stockId });
    if (run !== undefined) await takePart(run.session, stockId, run.start);
  }

  async function join({ session, keyId: stockId, payload }: CeremonyMessage): Promise<void> {
    if (await isWanted()) await takePart(session, stockId, decodeRunStart(payload));
  }

  async function isWanted(): Promise<boolean> {
    return deps.isIdle() && (await store.count()) < deps.target;
  }

  function logFailure(error: unknown): void {
    deps.logger.info({ event: 'rsa_stock_failed', reason: String(error) }, 'no key made ahead');
  }

  let isCalling = false;
  const timer = setInterval(() => {
    if (self.party !== CALLER || deps.target === 0 || isCalling) return;
    isCalling = true;
    void call()
      .catch(logFailure)
      .finally(() => {
        isCalling = false;
      });
  }, CHECK_MS);
  timer.unref();

  return {
    receive(from, message) {
      if (from.party === CALLER && self.party !== CALLER) join(message).catch(logFailure);
    },
    yieldToKeys() {
      current?.abort();
    },
    stop() {
      clearInterval(timer);
      current?.abort();
    },
  };
}
