/** A vault's processes, each started again when it dies. */
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { keepRunning } from './keep-running.js';
import {
  startGateway,
  startNotifier,
  startPriceRelay,
  startSigner,
  type Stack,
  type StackOptions,
} from './open-stack.js';

/** Takes over the processes of `stack`. The gateway comes back on the port it had. */
export function superviseStack(
  stack: Stack,
  options: StackOptions,
  say: (line: string) => void,
): Pick<Stack, 'stop'> {
  const stopping = new AbortController();
  const kill = options.endSignals?.kill ?? new AbortController().signal;
  const again = { ...options, endSignals: { stop: stopping.signal, kill } };
  const kept = { stopping: stopping.signal, say };
  const gateway = keepRunning(
    stack.gateway,
    () => startGateway(again, stack.gateway.port ?? 0, 'gateway'),
    kept,
  );
  const signers = PARTY_NUMBERS.map((party, index) =>
    keepRunning(stack.signers[index]!, () => startSigner(again, party), kept),
  );
  const others = [
    stack.notifier && keepRunning(stack.notifier, () => startNotifier(again), kept),
    stack.priceRelay &&
      options.prices &&
      keepRunning(stack.priceRelay, () => startPriceRelay(again, options.prices!), kept),
  ];
  return {
    async stop() {
      stopping.abort();
      await gateway.stopped();
      await Promise.all(
        [...signers, ...others.filter((one) => one !== undefined)].map((one) => one.stopped()),
      );
    },
  };
}
