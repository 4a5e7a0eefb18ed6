/** What a desk does to its vault: long policies with limits, and freezing while everything is in use. */
import { setTimeout as sleep } from 'node:timers/promises';
import { valueOf } from '@countersign/client/call-result.js';
import type { CountersignClient } from '@countersign/client/countersign-client.js';
import { createCallers } from './bench-callers.js';
import { prepareTraffic, type OpenVault } from './bench-vault.js';
import { allowByRules, createImporter, prepareVenueTraffic, withAdmin } from './key-scenarios.js';
import { runLoad, type LoadMeasurement } from './load.js';
import type { LoadJob } from './load-job.js';
import type { Measured } from './measured.js';
import { measureOffered, type Offered, type Plan } from './offered-load.js';
import { percentilesOf } from './percentiles.js';
import { sliceOf, type Reference } from './references.js';

const RULES = 50;
const POLICY_KEYS = 16;
const POLICY_CONNECTIONS = 64;
/** Beyond what a run can sign: the window is counted, and never full. */
const VELOCITY = { limit: '1000000000', unit: 'count', window_s: 60, per: 'key' } as const;

/** Orders that only the last of 50 rules allows, within a velocity limit, beside orders under one rule. */
export async function measureLongPolicy(open: OpenVault, plan: Plan): Promise<Measured[]> {
  const short = await prepareVenueTraffic(open, 'one rule');
  const long = await prepareLongPolicy(open);
  const oneRule: Reference = {
    name: 'one rule',
    slice: async (job) => sliceOf(await runLoad({ ...job, ...short, port: open.port }, open)),
    close: () => undefined,
  };
  const name = `venue sign, HMAC, ${RULES} rules and a velocity`;
  return measureOffered(
    open,
    { name, traffic: long, maths: 'hmac' },
    { ...plan, connections: [POLICY_CONNECTIONS], rates: [], peers: [oneRule] },
  );
}

async function prepareLongPolicy(open: OpenVault): Promise<Offered['traffic']> {
  return withAdmin(open, async (admin) => {
    const importer = await createImporter(open, admin);
    const keys = await Promise.all(Array.from({ length: POLICY_KEYS }, () => importer.importKey()));
    const callers = await createCallers(admin, 'long policy');
    const others = Array.from({ length: RULES - 1 }, (_, index) => ({
      operation_classes: ['trade' as const],
      symbols: [`COIN${index}USDT`],
    }));
    const last = { operation_classes: ['trade' as const], velocity: VELOCITY };
    await allowByRules(admin, 'long policy', keys, callers, [...others, last]);
    return { kind: 'venue', callers, targets: keys.map(({ id }) => `/v1/keys/${id}/sign`) };
  });
}

const FREEZE_CONNECTIONS = 256;
const FREEZE_PAUSE_MS = 100;
/** So many that the slowest but one is what a percentile of 99 means. */
const FREEZES = 100;
/** Until every connection waits. */
const SATURATED_AFTER_MS = 1_000;
const WARM_UP = { connections: 64, seconds: 6 };

/** How long it takes until a freeze is acknowledged while every connection of the load waits for signatures. */
export async function measureFreezing(open: OpenVault, { seconds }: Plan): Promise<Measured[]> {
  const traffic = await prepareTraffic(open, 'freezing');
  const job: LoadJob = { port: open.port, kind: 'sign', ...traffic, ...WARM_UP };
  return withAdmin(open, async (admin) => {
    const { id } = await (await createImporter(open, admin)).importKey();
    const freezing = createFreezing(admin, { key_ids: id });
    await runLoad(job, open);
    await freezing.once(); // compiled, too
    const acknowledgedMs: number[] = [];
    const saturated = { ...job, connections: FREEZE_CONNECTIONS, seconds };
    let load: LoadMeasurement | undefined;
    while (acknowledgedMs.length < FREEZES) {
      const during = await freezing.during((onGo) => runLoad(saturated, open, onGo));
      acknowledgedMs.push(...during.acknowledgedMs);
      load = during.load;
    }
    const { p50Ms, p90Ms, p99Ms, maxMs } = percentilesOf(acknowledgedMs);
    const figures = {
      freezes: acknowledgedMs.length,
      p50_ms: p50Ms,
      p90_ms: p90Ms,
      p99_ms: p99Ms,
      max_ms: maxMs,
    };
    return [
      { name: `raw-sign while freezing, closed loop, c=${FREEZE_CONNECTIONS}`, load: load! },
      { name: 'freeze acknowledged, saturated', figures },
    ];
  });
}

/** Freezes and unfreezes the keys, one after the other. */
function createFreezing(admin: CountersignClient, query: { readonly key_ids: string }) {
  /** How long the freeze took, ms. */
  async function once(): Promise<number> {
    const startedAt = performance.now();
    valueOf(await admin.call('freeze-keys', { query }));
    const ms = performance.now() - startedAt;
    valueOf(await admin.call('unfreeze-keys', { query }));
    return ms;
  }

  return {
    once,
    /** While the load runs, and only then: it says when its requests leave. */
    async during(run: (onGo: () => void) => Promise<LoadMeasurement>) {
      const acknowledgedMs: number[] = [];
      let isOver = false;
      let go: () => void = () => undefined;
      const gone = new Promise<void>((resolve) => (go = resolve));
      const loading = run(go).finally(() => (isOver = true));
      await Promise.race([gone, loading]);
      await sleep(SATURATED_AFTER_MS);
      while (!isOver) {
        const ms = await once();
        if (!isOver) acknowledgedMs.push(ms);
        await sleep(FREEZE_PAUSE_MS);
      }
      return { acknowledgedMs, load: await loading };
    },
  };
}
