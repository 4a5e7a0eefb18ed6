/** This replica takes part in runs for stock, one at a time, at its own pace, while it is short. */
import type { Replica } from '@countersign/runtime/jobs/replica.js';
import type { PartyMessage } from '../channel/messages.js';
import type { CompletedShare } from '../threads/thread-tasks.js';
import type { CeremonyInboxes } from '../ceremonies/ceremony-inbox.js';
import { createRunSender, type CeremonyRun, type RunStart } from '../ceremonies/ceremony-run.js';
import { discardOrphans } from './discard-orphans.js';
import type { RsaStockStore } from './rsa-stock-store.js';
import { afterCalledRun, afterFailure, afterStored, FIRST_PACE, isPaused } from './stock-pace.js';

/** The party that calls the runs. */
export const STOCK_CALLER = 1;
export const STOCK_MODULUS_BITS = 2048;
/** Why this party left a run that nobody spoiled. */
const GAVE_WAY = 'gave way';

export interface StockPartDeps {
  readonly self: Replica;
  /** Keys to have ready; 0: none are made. */
  readonly target: number;
  readonly inboxes: CeremonyInboxes;
  readonly store: RsaStockStore;
  readonly now: () => number;
  /** Whether no work that somebody waits for needs the processor now. */
  isIdle(): boolean;
  send(to: Replica, message: PartyMessage): Promise<void>;
  generate(run: CeremonyRun, modulusBits: number): Promise<CompletedShare>;
}

export interface StockPart {
  /** Whether a run is under way here. */
  readonly isBusy: boolean;
  /** Whether a run may begin now. */
  isReady(): boolean;
  isShort(): Promise<boolean>;
  /** Takes part in a run to its end; a run under way is left for it. Rejects when the run failed. */
  take(session: string, stockId: string, start: RunStart): Promise<void>;
  /** The run just taken was called by this replica. */
  pauseAfterCall(): void;
  /** Leaves the run under way. */
  giveWay(): void;
}

export function createStockPart(deps: StockPartDeps): StockPart {
  const { self, store, now } = deps;
  let current: AbortController | undefined;
  let pace = FIRST_PACE;

  const isShort = async () => (await store.list()).length < deps.target;

  async function make(run: CeremonyRun): Promise<void> {
    await discardOrphans(run, store);
    if (!(await isShort())) return;
    const share = await deps.generate(run, STOCK_MODULUS_BITS);
    await store.insert({ ...share, stockId: run.keyId });
    pace = afterStored(pace);
  }

  return {
    get isBusy() {
      return current !== undefined;
    },
    isReady: () => deps.isIdle() && !isPaused(pace, now()),
    isShort,
    async take(session, stockId, { replicas }) {
      current?.abort();
      const controller = new AbortController();
      current = controller;
      const { signal } = controller;
      const own = { session, keyId: stockId, replicas };
      const send = createRunSender(own, deps.send);
      const inbox = deps.inboxes.open(session);
      try {
        await make({ ...own, self, stockId: '', inbox, signal, send });
      } catch (error) {
        if (signal.reason === GAVE_WAY) return;
        pace = afterFailure(pace, now(), self.party === STOCK_CALLER);
        throw error;
      } finally {
        deps.inboxes.drop(session);
        controller.abort();
        if (current === controller) current = undefined;
      }
    },
    pauseAfterCall() {
      pace = afterCalledRun(pace, now());
    },
    giveWay() {
      current?.abort(GAVE_WAY);
    },
  };
}
