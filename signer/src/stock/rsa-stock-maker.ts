/**
 * Makes RSA-2048 keys ahead, one at a time, while nothing else is asked for. Party 1 calls the runs;
 * another party joins while it is short of stock itself, and ever more seldom while they fail, so nobody
 * can keep it busy beyond that.
 */
import { randomUUID } from 'node:crypto';
import type { Replica } from '@countersign/runtime/jobs/replica.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import type { PartyMessage } from '../channel/messages.js';
import type { CompletedShare } from '../threads/thread-tasks.js';
import {
  callRun,
  createRunSender,
  decodeRunStart,
  otherParties,
  type CeremonyInboxes,
  type CeremonyRun,
  type RunCallerDeps,
  type RunStart,
} from '../ceremonies/ceremony-run.js';
import { RSA_LANE, type KeyLock } from '../party/key-lock.js';
import { isProtocolFault } from '../ceremonies/rsa-ceremony.js';
import type { RsaStockStore } from './rsa-stock-store.js';

const CALLER = 1;
const CHECK_MS = 2_000;
const FIRST_PAUSE_MS = 4_000;
const MAX_PAUSE_MS = 300_000;
export const STOCK_START = 'stock-start';
export const STOCK_MODULUS_BITS = 2048;
/** Why this party left a run that nobody spoiled. */
const GAVE_WAY = 'gave way';

type CeremonyMessage = Extract<PartyMessage, { kind: 'ceremony' }>;

export interface RsaStockMakerDeps extends RunCallerDeps {
  /** Keys to have ready; 0: none are made. */
  readonly target: number;
  /** Nothing is made in the first while after the start. */
  readonly delayMs: number;
  readonly inboxes: CeremonyInboxes;
  readonly store: RsaStockStore;
  readonly lock: KeyLock;
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
  const { self, inboxes, store, logger, now } = deps;
  const startedAt = now();
  let current: AbortController | undefined;
  let pausedUntil = 0;
  let pauseMs = FIRST_PAUSE_MS;

  async function takePart(session: string, stockId: string, { replicas }: RunStart): Promise<void> {
    current?.abort();
    const controller = new AbortController();
    current = controller;
    const send = createRunSender({ session, keyId: stockId, replicas }, deps.send);
    const inbox = inboxes.open(session);
    const { signal } = controller;
    const run = { self, session, keyId: stockId, replicas, stockId: '', inbox, signal, send };
    try {
      await discardOrphans(run, store);
      if (!(await isShort())) return;
      const share = await deps.generate(run, STOCK_MODULUS_BITS);
      await store.insert({ ...share, stockId });
      pauseMs = FIRST_PAUSE_MS;
    } catch (error) {
      if (signal.reason === GAVE_WAY) return;
      pause();
      throw error;
    } finally {
      inboxes.drop(session);
      controller.abort();
      if (current === controller) current = undefined;
    }
  }

  /** Shorter for whoever joins: the next run that is called in time finds both others ready. */
  function pause(): void {
    pausedUntil = now() + (self.party === CALLER ? pauseMs : pauseMs / 2);
    pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
  }

  async function call(): Promise<void> {
    const isTime = now() - startedAt >= deps.delayMs;
    if (!isTime || current !== undefined || !isReady() || !(await isShort())) return;
    if (!(await deps.lock.acquire(RSA_LANE))) return; // another replica of party 1 is at it
    try {
      await callAndTakePart();
    } finally {
      await deps.lock.release(RSA_LANE);
    }
  }

  async function callAndTakePart(): Promise<void> {
    const stockId = randomUUID();
    const run = await callRun(deps, { tag: STOCK_START, keyId: stockId, stockId });
    if (run === undefined) return;
    await takePart(run.session, stockId, run.start);
    // the others end at their own pace: the next run must not come before they have stored theirs
    pausedUntil = now() + CHECK_MS;
  }

  async function join({ session, keyId: stockId, payload }: CeremonyMessage): Promise<void> {
    if (isReady()) await takePart(session, stockId, decodeRunStart(payload));
  }

  function isReady(): boolean {
    return deps.isIdle() && now() >= pausedUntil;
  }

  async function isShort(): Promise<boolean> {
    return (await store.list()).length < deps.target;
  }

  function logFailure(error: unknown): void {
    const reason = String(error);
    if (isProtocolFault(error)) {
      const { party } = error;
      logger.error(
        { event: 'party_misbehaved', party, reason },
        'a party spoiled a key made ahead',
      );
    } else {
      logger.warn({ event: 'rsa_stock_failed', reason }, 'no key made ahead');
    }
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
      current?.abort(GAVE_WAY);
    },
    stop() {
      clearInterval(timer);
      current?.abort(GAVE_WAY);
    },
  };
}

/**
 * All three tell what they have, and keep what all of them have. A share whose key the others have
 * assigned or never stored becomes no key any more: kept, it would count as stock for good.
 */
async function discardOrphans(
  { self, inbox, signal, send }: CeremonyRun,
  store: RsaStockStore,
): Promise<void> {
  const own = await store.list();
  // what is missing here because it is being assigned must not be discarded there
  signal.throwIfAborted();
  const word = Buffer.from(own.join());
  await Promise.all(otherParties(self.party).map((party) => send(party, 'stock-ids', word)));
  const lists = [...(await inbox.collect('stock-ids')).values()].map(
    (heard) => new Set(Buffer.from(heard).toString().split(',')),
  );
  const orphans = own.filter((stockId) => !lists.every((ids) => ids.has(stockId)));
  if (orphans.length > 0) await store.discard(orphans);
}
