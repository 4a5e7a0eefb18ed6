/**
 * Signatures under one key or wallet: those that are asked for in one turn of the event loop leave as one batch. Each
 * asker hears of their own, as if it had been asked for alone.
 */
import type { CallResult } from '../answers/call-result.js';
import { isRefusedForContent, isToAskAlone, readBatchResults } from './batch-results.js';
import { createTurnCollector } from './turn-collector.js';

/** How signatures of one kind are asked for. `options`: how long they may take. */
export interface SigningCalls<Item, Signed> {
  one(item: Item, options: WaitOptions): Promise<CallResult<Signed>>;
  many(items: readonly Item[], options: WaitOptions): Promise<CallResult<unknown>>;
}

interface WaitOptions {
  readonly waitMs?: number;
}

interface Asked<Item, Signed> {
  readonly item: Item;
  readonly askedAt: number;
  readonly resolve: (result: Promise<CallResult<Signed>> | CallResult<Signed>) => void;
  readonly reject: (error: unknown) => void;
}

/** `waitMs`: of each signature, approvals included; the client's when absent. */
export function signTogether<Item, Signed>(
  calls: SigningCalls<Item, Signed>,
  waitMs: number | undefined,
): (item: Item) => Promise<CallResult<Signed>> {
  const leftOf = (askedAt: number): WaitOptions =>
    waitMs === undefined ? {} : { waitMs: Math.max(waitMs - (performance.now() - askedAt), 0) };

  const askAlone = ({ item, askedAt, resolve }: Asked<Item, Signed>): void =>
    resolve(calls.one(item, leftOf(askedAt)));

  async function askTogether(all: readonly Asked<Item, Signed>[]): Promise<void> {
    const items = all.map(({ item }) => item);
    const answer = await calls.many(items, leftOf(all[0]!.askedAt));
    if (!answer.ok && isRefusedForContent(answer.error)) return all.forEach(askAlone);
    const results = answer.ok
      ? (readBatchResults(answer.value, all.length) as CallResult<Signed>[])
      : all.map(() => answer);
    all.forEach((asked, at) => {
      const result = results[at]!;
      if (!result.ok && isToAskAlone(result.error)) askAlone(asked);
      else asked.resolve(result);
    });
  }

  const collect = createTurnCollector<Asked<Item, Signed>>((all) => {
    if (all.length === 1) return askAlone(all[0]!);
    askTogether(all).catch((error: unknown) => all.forEach(({ reject }) => reject(error)));
  });
  return (item) =>
    new Promise((resolve, reject) => {
      collect({ item, askedAt: performance.now(), resolve, reject });
    });
}
