/**
 * What is left of the signing rate of two parties while the third floods them, in one run of turns that follow each
 * other. The third party runs on the same machine, where in the field it has one of its own: so it does the same work in
 * all of them, and says what it says to nobody in those that the others are compared with. `SECONDS` sets how long a
 * turn is, `PER_SECOND` how much the third party says.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { runLoad } from '../dist/bench/load.js';
import { openFloodingParty, type FloodingParty } from '../../test/support/flood.ts';
import { openTestVault, type TestVault } from '../../test/support/test-vault.ts';

const SECONDS = Number(process.env['SECONDS'] ?? 10);
const PER_SECOND = Number(process.env['PER_SECOND'] ?? 2_000);
const TURNS = 3;
const CONNECTIONS = 32;
const KEPT = 0.7;
const TIMEOUT_MS = 600_000;

/** Resident memory, MiB. */
function memoryOf(pid: number): number {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
  return Math.round((pages * 4_096) / 1_048_576);
}

async function prepareLoad(vault: TestVault): Promise<() => Promise<number>> {
  const bot = await vault.createMachine();
  const wallet = await vault.createWallet({ initiators: [bot.id] });
  const { apiKey, privateKey } = bot.credential;
  const caller = {
    apiKey,
    privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
  };
  const job = {
    port: Number(new URL(vault.baseUrl).port),
    kind: 'sign',
    callers: [caller],
    targets: [`${wallet.path}/raw-sign`],
    connections: CONNECTIONS,
    seconds: SECONDS,
  } as const;
  return async () => {
    const { statuses, seconds } = await runLoad(job, { groups: {} });
    // where a batch was lost an answer may take longer than its caller waits: that one counts for nothing
    for (const status of Object.keys(statuses)) expect(['200', '202']).toContain(status);
    return (statuses['200'] ?? 0) / seconds;
  };
}

const mean = (numbers: readonly number[]) =>
  numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

/** Signatures per second while the party floods the others, or nobody. */
async function flooded(
  flood: FloodingParty,
  load: () => Promise<number>,
  aimsAtNobody: boolean,
): Promise<number> {
  flood.begin({ perSecond: PER_SECOND, atOnce: 20, aimsAtNobody });
  try {
    return await load();
  } finally {
    await flood.end();
  }
}

test(
  'two parties keep 70 % of their signing rate while the third floods them',
  async () => {
    const vault = await openTestVault({ logLevel: 'error' });
    let flood: FloodingParty | undefined;
    try {
      const load = await prepareLoad(vault);
      await vault.stack.signers[2]!.stop();
      flood = await openFloodingParty(vault);
      await load(); // warm
      const pids = vault.stack.signers.slice(0, 2).map(({ pid }) => pid);
      const before = pids.map(memoryOf);
      const quiet = [await flooded(flood, load, true)];
      const loud: number[] = [];
      for (let turn = 0; turn < TURNS; turn++) {
        loud.push(await flooded(flood, load, false));
        quiet.push(await flooded(flood, load, true));
      }
      const after = pids.map(memoryOf);
      const kept = mean(loud) / mean(quiet);
      const { messages, underRealBatches } = await flood.count();
      console.log(
        JSON.stringify(
          { quiet, loud, kept, messages, underRealBatches, before, after },
          undefined,
          1,
        ),
      );
      expect(kept).toBeGreaterThan(KEPT);
    } finally {
      await flood?.close();
      await vault.close();
    }
  },
  TIMEOUT_MS,
);
