/**
 * When the newest snapshots that a party went by were made. It is on the disk before anything is decided by them. So a
 * party that starts again cannot be shown earlier prices, however its last process ended.
 */
import { readFile } from 'node:fs/promises';
import type { PriceSnapshot } from '@countersign/core/price-snapshot.js';
import { z } from 'zod';
import { replaceDurably } from '../process/replace-durably.js';

export interface PriceMemory {
  /** The newest snapshot of a relay that earlier processes may have gone by, ms; 0 for none. */
  readonly newestOf: (relay: string) => number;
  /** Resolves once it would survive a loss of power. Keeps the newest of each relay. */
  keep(news: readonly Pick<PriceSnapshot, 'relay' | 'at'>[]): Promise<void>;
}

/** Keyed by name of the relay, ms. */
const fileSchema = z.record(z.string(), z.int().nonnegative());

/** One process alone owns the file. Throws if it cannot be read, since its bounds would be lost. */
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
 * For a process without a folder. Nobody knows what came before it, so snapshots from before its start do not count.
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
