/** How long it takes until a freeze is acknowledged while every connection of a load waits for signatures. */
import { setTimeout as sleep } from 'node:timers/promises';
import { valueOf } from '@countersign/client/call-result.js';
import type { CountersignClient } from '@countersign/client/countersign-client.js';
import type { OpenVault } from './bench-vault.js';
import { runLoad, type LoadMeasurement } from './load.js';
import { WARM_UP } from './offered-load.js';
import { percentilesOf } from './percentiles.js';
import type { Measured } from './report.js';
import { prepareTraffic, withAdmin } from './traffic.js';

const CONNECTIONS = 256;
const PAUSE_MS = 100;
/** So many that the slowest but one is what a percentile of 99 means. */
const FREEZES = 100;
/** Until every connection waits. */
const SATURATED_AFTER_MS = 1_000;
/** A shorter load would be over before it is frozen beside it. */
const LEAST_SECONDS = 5;

/** `seconds`: of each load; there are as many as it takes to freeze a hundred times. */
export async function measureFreezing(open: OpenVault, seconds: number): Promise<Measured[]> {
  const job = { port: open.port, ...(await prepareTraffic(open, 'sign', 'freezing')) };
  const saturated = { ...job, connections: CONNECTIONS, seconds: Math.max(seconds, LEAST_SECONDS) };
  return withAdmin(open, async (admin) => {
    const body = { type: 'ed25519', display_name: 'frozen' } as const;
    const { id } = valueOf(await admin.call('generate-key', { body }));
    await runLoad({ ...job, ...WARM_UP }, open);
    await freezeOnce(admin, id); // compiled, too
    const acknowledgedMs: number[] = [];
    let load: LoadMeasurement | undefined;
    while (load === undefined || acknowledgedMs.length < FREEZES) {
      const during = { isOver: false };
      let freezing = Promise.resolve();
      load = await runLoad(saturated, open, () => {
        freezing = freezeDuring(during, () => freezeOnce(admin, id), acknowledgedMs);
        freezing.catch(() => undefined); // awaited once the load is over
      });
      during.isOver = true;
      await freezing;
    }
    const figures = { freezes: acknowledgedMs.length, ...percentilesOf(acknowledgedMs) };
    return [
      { name: `raw-sign while freezing, closed loop, c=${CONNECTIONS}`, load },
      { name: 'freeze acknowledged, saturated', figures },
    ];
  });
}

/** Freezes one after the other while the load runs, and only then. */
async function freezeDuring(
  load: { readonly isOver: boolean },
  freeze: () => Promise<number>,
  acknowledgedMs: number[],
): Promise<void> {
  await sleep(SATURATED_AFTER_MS);
  while (!load.isOver) {
    const ms = await freeze();
    if (!load.isOver) acknowledgedMs.push(ms);
    await sleep(PAUSE_MS);
  }
}

/** How long the freeze took, ms. */
async function freezeOnce(admin: CountersignClient, keyId: string): Promise<number> {
  const query = { key_ids: keyId };
  const startedAt = performance.now();
  valueOf(await admin.call('freeze-keys', { query }));
  const ms = performance.now() - startedAt;
  valueOf(await admin.call('unfreeze-keys', { query }));
  return ms;
}
