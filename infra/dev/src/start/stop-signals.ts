/** How the starter is told to end: a first signal asks it to, a second one hurries it. */
import type { EndSignals } from '../stack/vault-process.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ctrl-C reaches us from the terminal and once more from npm: signals so close together are one. */
const ONE_SIGNAL_MS = 1_000;

/** Both with the signal's name as their reason. A third signal has the effect that it has by default. */
export function openStopSignals(
  source: Pick<NodeJS.EventEmitter, 'on' | 'off'>,
  now: () => number = Date.now,
): EndSignals {
  const stop = new AbortController();
  const kill = new AbortController();
  let firstAt = 0;

  function onSignal(signal: string): void {
    if (!stop.signal.aborted) {
      firstAt = now();
      stop.abort(signal);
    } else if (now() - firstAt >= ONE_SIGNAL_MS) {
      for (const name of SIGNALS) source.off(name, onSignal);
      kill.abort(signal);
    }
  }

  for (const name of SIGNALS) source.on(name, onSignal);
  return { stop: stop.signal, kill: kill.signal };
}
