/**
 * Two commits, each built in a folder of its own, in turns: both vaults run all the time, on servers of their own, and
 * are asked by the same load generator, this commit's.
 */
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepareTraffic, type BenchHome, type OpenVault } from './bench-vault.js';
import { endOnSignal } from './end-on-signal.js';
import { prepareRsaTraffic, prepareVenueTraffic, rsaPlan } from './key-scenarios.js';
import type { Measured } from './measured.js';
import { measureOffered, type Offered, type Plan } from './offered-load.js';
import { runLoad } from './load.js';
import { sliceOf, type Reference } from './references.js';

type CreateHome = (env: object, execArgv: readonly string[]) => BenchHome;

/** What loads both are asked for: a wallet's raw-sign, orders, or an RSA key's raw-sign. */
export type Compared = 'sign' | 'venue' | 'rsa';

interface Clone {
  readonly name: string;
  readonly open: OpenVault;
  close(): Promise<void>;
}

export async function measureCompared(
  [before, after]: readonly [string, string],
  scenarios: readonly Compared[],
  plan: Plan,
): Promise<Measured[]> {
  const opened: Clone[] = [];
  const close = async () => void (await Promise.all(opened.map((clone) => clone.close())));
  endOnSignal(close);
  try {
    for (const folder of [before, after]) opened.push(await openClone(folder));
    const measured: Measured[] = [];
    for (const scenario of scenarios) {
      const [old, now] = await Promise.all(opened.map(({ open }) => offeredOf(scenario, open)));
      const peers = [cloneUnderLoad(opened[0]!, old!)];
      const asked = scenario === 'rsa' ? rsaPlan(plan) : plan;
      measured.push(...(await measureOffered(opened[1]!.open, now!, { ...asked, peers })));
    }
    return measured;
  } finally {
    await close();
  }
}

async function openClone(folder: string): Promise<Clone> {
  const program = pathToFileURL(join(folder, 'workshop/dist/bench/bench-vault.js'));
  const { createBenchHome } = (await import(program.href)) as { createBenchHome: CreateHome };
  const home = createBenchHome({}, []);
  const open = await home.open();
  return {
    name: basename(folder),
    open,
    async close() {
      await open.stop();
      home.remove();
    },
  };
}

async function offeredOf(scenario: Compared, open: OpenVault): Promise<Offered> {
  if (scenario === 'venue') {
    const traffic = await prepareVenueTraffic(open, 'venue');
    return { name: 'venue sign, HMAC', traffic, maths: 'hmac' };
  }
  if (scenario === 'rsa') {
    return { name: 'raw-sign, RSA-2048', traffic: await prepareRsaTraffic(open), maths: 'rsa2048' };
  }
  const traffic = { kind: 'sign', ...(await prepareTraffic(open, 'signing')) } as const;
  return { name: 'raw-sign', traffic, maths: 'ed25519' };
}

function cloneUnderLoad({ name, open }: Clone, { traffic }: Offered): Reference {
  return {
    name,
    slice: async (job) => sliceOf(await runLoad({ ...job, ...traffic, port: open.port }, open)),
    close: () => undefined,
  };
}
