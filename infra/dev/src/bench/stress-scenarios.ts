/** What a desk does to its vault: long policies with limits, and freezing while everything is in use. */
import { setTimeout as sleep } from 'node:timers/promises';
import { valueOf } from '@countersign/client/call-result.js';
import { createCallers } from './bench-callers.js';
import { prepareTraffic, type OpenVault } from './bench-vault.js';
import { allowByRules, createImporter, prepareVenueTraffic, withAdmin } from './key-scenarios.js';
import { runLoad } from './load.js';
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
  const short = await prepareVenueTraffic(open);
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
const FREEZE_PAUSE_MS = 150;

/** How long it takes until a freeze is acknowledged while every connection of the load waits for signatures. */
export async function measureFreezing(open: OpenVault, { seconds }: Plan): Promise<Measured[]> {
  const traffic = await prepareTraffic(open, 'freezing');
  const job: LoadJob = {
    port: open.port,
    kind: 'sign',
    ...traffic,
    connections: FREEZE_CONNECTIONS,
    seconds,
  };
  return withAdmin(open, async (admin) => {
    const { id } = await (await createImporter(open, admin)).importKey();
    const query = { key_ids: id };
    const acknowledgedMs: number[] = [];
    let isOver = false;
    const loading = runLoad(job, open).finally(() => (isOver = true));
    while (!isOver) {
      await sleep(FREEZE_PAUSE_MS);
      const startedAt = performance.now();
      valueOf(await admin.call('freeze-keys', { query }));
      acknowledgedMs.push(performance.now() - startedAt);
      valueOf(await admin.call('unfreeze-keys', { query }));
    }
    const { p50Ms, p99Ms, maxMs } = percentilesOf(acknowledgedMs);
    const figures = { freezes: acknowledgedMs.length, p50_ms: p50Ms, p99_ms: p99Ms, max_ms: maxMs };
    return [
      {
        name: `raw-sign while freezing, closed loop, c=${FREEZE_CONNECTIONS}`,
        load: await loading,
      },
      { name: 'freeze acknowledged, saturated', figures },
    ];
  });
}
