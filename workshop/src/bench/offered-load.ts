/** A load that is offered in several ways, each beside the maths alone and whatever else is named. */
import { measureSliced } from './beside.js';
import type { OpenVault } from './bench-vault.js';
import { runLoad, type Offer, type Traffic } from './load.js';
import { BARE_SIGNING, LIMIT, openBareMaths, type Maths, type Reference } from './references.js';
import type { Measured } from './report.js';

/** How loads are offered, and beside what. */
export interface Plan {
  /** Of each load, in all of its slices. */
  readonly seconds: number;
  readonly rounds: number;
  /** Closed loops: so many ask again as soon as they are answered. */
  readonly connections: readonly number[];
  /** Open loops: so many requests a second, whatever comes back. */
  readonly rates: readonly number[];
  /** Nothing beside them. */
  readonly isAlone: boolean;
  /** Other systems, that take the same load. */
  readonly peers: readonly Reference[];
}

export interface Offered {
  readonly name: string;
  readonly traffic: Traffic;
  readonly maths: Maths;
}

/** Until what runs is compiled: what has just started gives a fifth less. Peers have as much, or they would cost more. */
export const WARM_UP = { connections: 64, seconds: 6 };
/** The maths alone is little code. */
const MATHS_WARM_UP = { connections: 16, seconds: 1 };
/** So many that a request of an open loop hardly waits for one. */
const OPEN_CONNECTIONS = 256;

export async function measureOffered(
  open: OpenVault,
  { name, traffic, maths }: Offered,
  plan: Plan,
): Promise<Measured[]> {
  const job = { port: open.port, ...traffic };
  // of batches as many signatures at a time, not as many requests
  const connections = Math.ceil(WARM_UP.connections / (traffic.itemsEach ?? 1));
  const warmUp = { ...job, ...WARM_UP, connections };
  await runLoad(warmUp, open);
  for (const peer of plan.peers) await peer.slice(warmUp);
  const own = plan.isAlone ? [] : await openReferences(maths);
  const references = [...own, ...plan.peers];
  try {
    for (const one of own) await one.slice({ ...job, ...MATHS_WARM_UP });
    const measured: Measured[] = [];
    const measure = async (how: string, offer: Omit<Offer, 'seconds'>) => {
      const whole = { ...job, ...offer, seconds: plan.seconds };
      const sliced = await measureSliced(whole, open, references, plan.rounds);
      measured.push({ name: `${name}, ${how}`, ...sliced });
    };
    for (const connections of plan.connections) {
      await measure(`closed loop, c=${connections}`, { connections });
    }
    for (const rate of plan.rates) {
      await measure(`${rate} a second`, { rate, connections: OPEN_CONNECTIONS });
    }
    return measured;
  } finally {
    for (const one of own) one.close();
  }
}

async function openReferences(maths: Maths): Promise<readonly Reference[]> {
  const bare = await openBareMaths(BARE_SIGNING, 'ed25519');
  return maths === 'ed25519' ? [bare] : [bare, await openBareMaths(LIMIT, maths)];
}
