/**
 * Requests that parties have and that the store did not take when it was away: they go on record when it is back, so
 * that they come to one end like all others. What has a result by then has it; of the others the sweeper says that
 * they failed.
 */
import { BoundedMap } from '@countersign/core/bounded-map.js';

const EVERY_MS = 1_000;
/** In one statement. */
const MAX_AT_ONCE = 512;
/** More than a gateway keeps under way are not remembered: then those that came first are forgotten. */
const MAX_REMEMBERED = 20_000;

export function createLateAcceptances<Request extends { readonly requestId: string }>(
  insert: (group: readonly Request[]) => Promise<unknown>,
): { add(request: Request): void } {
  const waiting = new BoundedMap<string, Request>(MAX_REMEMBERED);
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    const group = [...waiting.values()].slice(0, MAX_AT_ONCE);
    try {
      await insert(group);
      for (const { requestId } of group) waiting.delete(requestId);
    } catch {
      // still away: they are tried again
    }
    timer = undefined;
    plan();
  }

  function plan(): void {
    if (waiting.size === 0) return;
    timer ??= setTimeout(() => void look(), EVERY_MS).unref();
  }

  return {
    add(request) {
      waiting.put(request.requestId, request);
      plan();
    },
  };
}
