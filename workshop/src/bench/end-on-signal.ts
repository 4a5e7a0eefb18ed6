import { exit } from 'node:process';

/** What was started is ended, also where somebody ends the benchmark. */
export function endOnSignal(close: () => Promise<void>): void {
  const stopOn = (signal: NodeJS.Signals) =>
    void close().finally(() => exit(signal === 'SIGINT' ? 130 : 143));
  process.once('SIGINT', stopOn);
  process.once('SIGTERM', stopOn);
}
