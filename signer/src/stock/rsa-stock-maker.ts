/**
 * Makes RSA-2048 keys ahead, one at a time, while nothing else is asked for. Party 1 calls the runs. Another party
 * joins while it is short of stock itself, and ever more rarely while runs fail, so nobody can keep it busier.
 */
import { randomUUID } from 'node:crypto';
import type { Replica } from '@countersign/runtime/jobs/replica.js';
import type { Alarms } from '@countersign/runtime/alarms/alarms.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import type { PartyMessage } from '../channel/messages.js';
import { callRun, decodeRunStart, type RunCallerDeps } from '../ceremonies/ceremony-run.js';
import { RSA_LANE, type KeyLock } from '../party/key-lock.js';
import { isProtocolFault } from '../ceremonies/rsa-ceremony.js';
import { STOCK_CHECK_MS } from './stock-pace.js';
import { createStockPart, STOCK_CALLER, type StockPart, type StockPartDeps } from './stock-part.js';
import { openTicks } from '@countersign/runtime/process/ticks.js';

export const STOCK_START = 'stock-start';

type CeremonyMessage = Extract<PartyMessage, { kind: 'ceremony' }>;

export interface RsaStockMakerDeps extends RunCallerDeps, StockPartDeps {
  /** Nothing is made in the first while after the start. */
  readonly delayMs: number;
  readonly lock: KeyLock;
  readonly logger: Logger;
  readonly alarms: Alarms;
}

export interface RsaStockMaker {
  /** Takes a message with the tag `STOCK_START`. */
  receive(from: Replica, message: CeremonyMessage): void;
  /** Ends the run under way: a key that somebody waits for comes first. */
  yieldToKeys(): void;
  stop(): void;
}

export function openRsaStockMaker(deps: RsaStockMakerDeps): RsaStockMaker {
  const { self, now } = deps;
  const part = createStockPart(deps);
  const startedAt = now();
  let isCalling = false;

  async function call(): Promise<void> {
    const isTime = now() - startedAt >= deps.delayMs;
    if (!isTime || part.isBusy || !part.isReady() || !(await part.isShort())) return;
    if (!(await deps.lock.acquire(RSA_LANE))) return; // another replica of party 1 is at it
    try {
      await callAndTakePart(deps, part);
    } finally {
      await deps.lock.release(RSA_LANE);
    }
  }

  async function join({ session, keyId: stockId, payload }: CeremonyMessage): Promise<void> {
    if (part.isReady()) await part.take(session, stockId, decodeRunStart(payload));
  }

  const ticks = openTicks(STOCK_CHECK_MS, () => {
    if (self.party !== STOCK_CALLER || deps.target === 0 || isCalling) return;
    isCalling = true;
    void call()
      .catch((error: unknown) => tellFailure(deps, error))
      .finally(() => {
        isCalling = false;
      });
  });

  return {
    receive(from, message) {
      if (from.party !== STOCK_CALLER || self.party === STOCK_CALLER) return;
      join(message).catch((error: unknown) => tellFailure(deps, error));
    },
    yieldToKeys: () => part.giveWay(),
    stop() {
      ticks.stop();
      part.giveWay();
    },
  };
}

async function callAndTakePart(deps: RunCallerDeps, part: StockPart): Promise<void> {
  const stockId = randomUUID();
  const run = await callRun(deps, { tag: STOCK_START, keyId: stockId, stockId });
  if (run === undefined) return;
  await part.take(run.session, stockId, run.start);
  part.pauseAfterCall();
}

function tellFailure(
  { logger, alarms }: Pick<RsaStockMakerDeps, 'logger' | 'alarms'>,
  error: unknown,
): void {
  const reason = String(error);
  if (isProtocolFault(error)) {
    const { party } = error;
    alarms.raise({
      kind: 'party_misbehaved',
      party,
      reason: `spoiled a key made ahead: ${reason}`,
    });
  } else {
    logger.warn({ event: 'rsa_stock_failed', reason }, 'no key made ahead');
  }
}
