/**
 * When the newest snapshots were made that a party went by. It is on the disk before anything is decided by them, so that a
 * party that starts again cannot be shown earlier prices, however the process before it ended.
 */
import { readFile } from 'node:fs/promises';
import type { PriceSnapshot } from '@countersign/core/price-snapshot.js';
import { z } from 'zod';
import { replaceDurably } from '../process/replace-durably.js';

export interface PriceMemory {
  /** Of a relay, what processes before this one may have gone by, ms; 0 for nothing. */
  readonly newestOf: (relay: string) => number;
  /** Resolves once it would survive a loss of power. Of each relay the newest is kept. */
  keep(news: readonly Pick<PriceSnapshot, 'relay' | 'at'>[]): Promise<void>;
}

/** By name of the relay, ms. */
const fileSchema = z.record(z.string(), z.int().nonnegative());

/** One process alone has the file. Throws on one that cannot be read: what it said could not be kept to. */
export async function openPriceMemory(path: string): Promise<PriceMemory> {
  const newest = new Map(Object.entries(await readNewest(path)));
  const before = new Map(newest);
  return {
    newestOf: (relay) => before.get(relay) ?? 0,
    async keep(news) {
      for (const { relay, at } of news) newest.set(relay, Math.max(at, newest.get(relay) ?? 0));
      await replaceDurably(path, `${JSON.stringify(Object.fromEntries(newest))}\n`);
    },
  };
}

/**
 * Of a process without a folder: nobody knows what was before it, so that what was made before its start does not count.
 * `startedAt`: ms. A relay whose clock is ahead may be taken back by as much.
 */
export function forgetOlderPrices(startedAt: number): PriceMemory {
  return { newestOf: () => startedAt, keep: async () => undefined };
}

async function readNewest(path: string): Promise<Readonly<Record<string, number>>> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
  try {
    return fileSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(`${path}: no memory of prices`, { cause });
  }
}
