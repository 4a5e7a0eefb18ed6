/**
 * While no request shows that signatures are made, this gateway asks for one that both parties must deny
 * (`makeProbe`). It goes by the dispatcher as every request does, with its deadlines and its choice of pairs.
 */
import { makeProbe } from '@countersign/runtime/jobs/signing-probe.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { askedProbe } from '../requests/asked-request.js';
import type { Dispatcher } from './dispatcher.js';
import type { SigningWatch } from './signing-watch.js';

const LOOK_MS = 500;
/** Without an answer for so long. Under load there is none of it, at rest one in so long. */
const PROBE_AFTER_MS = 2_000;

export interface SigningProbeDeps {
  readonly dispatcher: Pick<Dispatcher, 'submit'>;
  readonly watch: Pick<SigningWatch, 'provenAt'>;
  readonly logger: Pick<Logger, 'warn'>;
  /** ms, the clock of the watch. */
  readonly monotonic: () => number;
  readonly now: () => number;
}

export interface SigningProbe {
  /** Sends one if it is time, and none is under way. Told to itself all the time. */
  look(): void;
  stop(): void;
}

/** The first one leaves at once, or as soon as there are two parties to take it. */
export function openSigningProbe(deps: SigningProbeDeps): SigningProbe {
  const { dispatcher, watch, logger, monotonic, now } = deps;
  let isUnderWay = false;

  async function probe(): Promise<void> {
    const item = makeProbe(now());
    try {
      await dispatcher.submit(item, askedProbe(item.evidence));
    } catch (error) {
      // it has proven nothing: that is what health says, and the next one is sent all the same
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
  const timer = setInterval(look, LOOK_MS);
  timer.unref();
  return { look, stop: () => clearInterval(timer) };
}
