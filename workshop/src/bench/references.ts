/** What a load is held against, slice by slice: the maths alone, and other systems. */
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { programPath } from '@countersign/dev/stack/programs.js';
import type { OpenVault } from './bench-vault.js';
import { costOf, runLoad, type LoadJob, type LoadMeasurement, type Traffic } from './load.js';
import { nextMessageOf } from './program-messages.js';

export type Maths = 'ed25519' | 'hmac' | 'rsa2048';

export interface ReferenceSlice {
  readonly perSecond: number;
  /** Microseconds of processor time of one. */
  readonly costUs: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
}

export interface Reference {
  readonly name: string;
  /** The same load as `job` offers, or, where nothing is asked, work for as long as one core has. */
  slice(job: LoadJob): Promise<ReferenceSlice>;
  close(): void;
}

/** The maths of a FROST signature, by which every cost is told: 1.0 b. */
export const BARE_SIGNING = 'bare signing';
export const LIMIT = 'limit';

/** Longer slices of it say no more. */
const MATHS_SECONDS = 1;

interface MathsRun {
  readonly signatures: number;
  readonly seconds: number;
  readonly cpuUs: number;
}

/** One process per core, so that rate and cost are those of a machine that does nothing else. */
export async function openBareMaths(name: string, maths: Maths): Promise<Reference> {
  const program = programPath('signer', 'bench-bare', 'bench-dist');
  const children = Array.from({ length: availableParallelism() }, () => fork(program, [maths]));
  await Promise.all(children.map((child) => nextMessageOf(child, name)));
  return {
    name,
    async slice({ seconds }) {
      const runs = await Promise.all(
        children.map(async (child) => {
          child.send({ seconds: Math.min(seconds, MATHS_SECONDS) });
          return nextMessageOf<MathsRun>(child, name);
        }),
      );
      return {
        perSecond: runs.reduce((sum, one) => sum + one.signatures / one.seconds, 0),
        costUs: runs.reduce((sum, one) => sum + one.cpuUs, 0) / runs.length,
      };
    },
    close: () => children.forEach((child) => void (child.connected && child.disconnect())),
  };
}

/** Another vault: the same load, from callers and with keys of its own. */
export function vaultUnderLoad(name: string, open: OpenVault, traffic: Traffic): Reference {
  return {
    name,
    slice: async (job) => sliceOf(await runLoad({ ...job, ...traffic, port: open.port }, open)),
    close: () => undefined,
  };
}

export function sliceOf(load: LoadMeasurement): ReferenceSlice {
  const { p50Ms, p99Ms } = load;
  return { perSecond: load.answers / load.seconds, costUs: costOf(load), p50Ms, p99Ms };
}
