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
/** Of their bodies: hundreds of the largest. */
const MAX_BYTES = 64 * 1024 * 1024;

/** `bytesOf`: what it takes to remember one. */
export function createLateAcceptances<Request extends { readonly requestId: string }>(
  insert: (group: readonly Request[]) => Promise<unknown>,
  bytesOf: (request: Request) => number,
): { add(request: Request): void } {
  let bytes = 0;
  const uncount = (request: Request) => void (bytes -= bytesOf(request));
  const waiting = new BoundedMap<string, Request>(MAX_REMEMBERED, uncount);
  let timer: NodeJS.Timeout | undefined;

  function forget(request: Request): void {
    if (waiting.delete(request.requestId)) uncount(request);
  }

  async function look(): Promise<void> {
    const group = [...waiting.values()].slice(0, MAX_AT_ONCE);
    try {
      await insert(group);
      group.forEach(forget);
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
      forget(request);
      waiting.put(request.requestId, request);
      bytes += bytesOf(request);
      while (bytes > MAX_BYTES && waiting.size > 1) forget(waiting.values().next().value!);
      plan();
    },
  };
}
