/**
 * While no request shows that signatures can be made, this gateway sends one that both parties must deny (`makeProbe`).
 * It uses the dispatcher as every request does, with its deadlines and its choice of pairs.
 */
import { makeProbe } from '@countersign/runtime/jobs/signing-probe.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { askedProbe } from '../requests/asked-request.js';
import type { Dispatcher } from './dispatcher.js';
import type { SigningWatch } from './signing-watch.js';
import { openTicks } from '@countersign/runtime/process/ticks.js';

const LOOK_MS = 1_000;
/** A probe leaves after so long without an answer: never under load, and once in so long at rest. */
const PROBE_AFTER_MS = 5_000;

export interface SigningProbeDeps {
  readonly dispatcher: Pick<Dispatcher, 'submit'>;
  readonly watch: Pick<SigningWatch, 'provenAt'>;
  readonly logger: Pick<Logger, 'warn'>;
  /** The clock of the watch, ms. */
  readonly monotonic: () => number;
  readonly now: () => number;
}

export interface SigningProbe {
  /** Sends a probe if it is due and none is under way. A timer also calls it. */
  look(): void;
  stop(): void;
}

/** The first probe leaves at once, or as soon as there are two parties to take it. */
export function openSigningProbe(deps: SigningProbeDeps): SigningProbe {
  const { dispatcher, watch, logger, monotonic, now } = deps;
  let isUnderWay = false;

  async function probe(): Promise<void> {
    const item = makeProbe(now());
    try {
      await dispatcher.submit(item, askedProbe(item.evidence));
    } catch (error) {
      // a failed probe proves nothing: health says so, and the next one is sent all the same
      logger.warn({ event: 'signing_probe_failed', reason: String(error) }, 'no probe was sent');
    } finally {
      isUnderWay = false;
    }
  }

  function look(): void {
    if (isUnderWay || monotonic() - watch.provenAt < PROBE_AFTER_MS) return;
    isUnderWay = true;
    void probe();
  }

  look();
  return { look, ...openTicks(LOOK_MS, look) };
}
