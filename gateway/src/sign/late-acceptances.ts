/**
 * Requests that parties have and that the store could not take while it was away. They go on record when it is back, so
 * that they end like all others. If one has a result by then it keeps it; the sweeper records the others as failed.
 */
import { BoundedMap } from '@countersign/core/bounded-map.js';

const EVERY_MS = 1_000;
/** Requests that are written in one statement. */
const MAX_AT_ONCE = 512;
/** A gateway keeps no more under way; beyond that the oldest are forgotten. */
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
