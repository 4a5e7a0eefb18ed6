/**
 * Asks now and then whether the party's KEK still opens. What is open stays open, so nothing else would show that its
 * provider is gone, or its token has expired, before the party is started again and cannot.
 */
import type { Logger } from '@countersign/runtime/process/logger.js';
import type { ThreadPools } from '../threads/thread-pools.js';

const LOOK_EVERY_MS = 300_000;

export interface KekWatch {
  readonly isOpenable: boolean;
  stop(): void;
}

export function openKekWatch(
  threads: Pick<ThreadPools, 'checkKek'>,
  logger: Pick<Logger, 'info' | 'error'>,
): KekWatch {
  let isOpenable = true;
  const stop = () => clearInterval(timer);

  async function look(): Promise<void> {
    const check = await threads.checkKek().catch(() => undefined);
    // a thread that gave no answer says nothing of the KEK
    if (check === undefined) return;
    if (!check.ok && isOpenable) {
      const { reason } = check;
      logger.error({ event: 'kek_not_openable', reason }, 'a start of this party would fail');
    } else if (check.ok && !isOpenable) {
      logger.info({ event: 'kek_openable' }, 'the KEK opens again');
    }
    isOpenable = check.ok;
    // each wrong PIN counts at the token, which locks itself after a few
    if (!check.ok && check.isFinal) stop();
  }

  const timer = setInterval(() => void look(), LOOK_EVERY_MS);
  return {
    get isOpenable() {
      return isOpenable;
    },
    stop,
  };
}
