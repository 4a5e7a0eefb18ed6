/**
 * `npm run bench`: measures a whole vault on this machine, on servers of its own (durable) unless
 * DATABASE_URL and REDIS_URL name others, which it fills with users and signatures.
 *
 *   --only <scenario>          only this one of those in bench-options.ts (may be repeated)
 *   --seconds <n>              how long each load runs in all, 10 by default
 *   --connections <n,n,...>    of the closed loops of signing, 1,64,256 by default
 *   --rates <n,n,...>          of its open loops, requests a second, 100 by default
 *   --rounds <n>               in how many slices each of these loads is offered, 3 by default; between them the
 *                              maths alone and the obvious server are measured
 *   --alone                    without these
 *   --peer <command>           and beside another system, which the command starts (peer-endpoint.ts)
 *   --compare <folder> <folder>    two commits, each built in its folder, in turns: of `sign`, `venue` and `rsa` alone
 *   --json <path>              the figures as JSON, too
 *   --page <path>              and as a page with charts
 *   --prof <folder>            processor profiles of gateway and parties
 *   --inside                   how late their event loops are, and what they allocate; costs them a little
 */
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { resolve } from 'node:path';
import { argv, exit } from 'node:process';
import { readBenchOptions, type BenchOptions, type Scenario } from './bench-options.js';
import { createBenchHome, type OpenVault } from './bench-vault.js';
import { measureBots } from './bot-scenario.js';
import { measureCompared, type Compared } from './compare.js';
import { endOnSignal } from './end-on-signal.js';
import { measureHttpServers } from './http-servers.js';
import {
  measureImport,
  measureLongRsaSigning,
  measureRefusals,
  measureRsaGeneration,
  measureRsaSigning,
  measureVenueSigning,
} from './key-scenarios.js';
import type { Measured } from './measured.js';
import type { Plan } from './offered-load.js';
import { measureOverload } from './overload-scenario.js';
import { openPeer } from './peer.js';
import { reportPage } from './report-page.js';
import { reportText } from './report.js';
import { measureScale } from './scale-scenario.js';
import {
  measureAudit,
  measureBare,
  measureFold,
  measureFrost,
  measureSigning,
  measureUserList,
} from './scenarios.js';
import { measureFreezing, measureLongPolicy } from './stress-scenarios.js';

type Rows = Promise<Measured | Measured[]>;

const MOST_BARE_SECONDS = 5;

/** In this order, on one vault; what fills it comes last. */
const OF_A_VAULT: Partial<Record<Scenario, (open: OpenVault, plan: Plan) => Rows>> = {
  sign: measureSigning,
  overload: (open, { seconds }) => measureOverload(open, seconds),
  venue: measureVenueSigning,
  policy: measureLongPolicy,
  freeze: measureFreezing,
  bot: (open, { seconds }) => measureBots(open, seconds),
  refuse: (open, { seconds }) => measureRefusals(open, seconds),
  rsa: measureRsaSigning,
  rsa4096: measureLongRsaSigning,
  generate: measureRsaGeneration,
  import: measureImport,
  scale: measureScale,
  users: (open, { seconds }) => measureUserList(open, seconds),
};

const WITHOUT_VAULT: Partial<Record<Scenario, (plan: Plan) => Rows>> = {
  bare: ({ seconds }) => measureBare(Math.min(seconds, MOST_BARE_SECONDS)),
  frost: measureFrost,
  http: measureHttpServers,
  fold: measureFold,
  audit: measureAudit,
};

function readOptions(): BenchOptions {
  try {
    return readBenchOptions(argv.slice(2));
  } catch (error) {
    process.stderr.write(`bench: ${(error as Error).message}\n`);
    exit(2);
  }
}

async function measureAll(options: BenchOptions, plan: Plan): Promise<Measured[]> {
  const { wanted, compared } = options;
  if (compared !== undefined) {
    const [before, after] = [resolve(compared[0]), resolve(compared[1])];
    return measureCompared([before, after], [...wanted] as Compared[], plan);
  }
  const measured: Measured[] = [];
  const needsVault = wanted.has('start') || Object.keys(OF_A_VAULT).some((name) => isIn(name));
  function isIn(name: string): boolean {
    return wanted.has(name as Scenario);
  }
  const measure = async (name: string, run: () => Rows) => {
    if (!isIn(name)) return;
    process.stderr.write(`measuring ${name} ...\n`);
    measured.push(...[await run()].flat());
  };
  if (needsVault) await measureVault(options, plan, measure);
  for (const [name, run] of Object.entries(WITHOUT_VAULT)) await measure(name, () => run(plan));
  return measured;
}

async function measureVault(
  { profileFolder, looksInside }: BenchOptions,
  plan: Plan,
  measure: (name: string, run: () => Rows) => Promise<void>,
): Promise<void> {
  const { DATABASE_URL, REDIS_URL } = process.env;
  const profiling =
    profileFolder === undefined
      ? []
      : ['--cpu-prof', `--cpu-prof-dir=${resolve(profileFolder)}`, '--cpu-prof-interval=500'];
  const home = createBenchHome({ DATABASE_URL, REDIS_URL }, profiling, looksInside);
  const close = async () => {
    await home.stop();
    home.remove();
  };
  endOnSignal(close);
  try {
    let open = await home.open();
    const startAgain = async () => {
      await home.stop();
      open = await home.open();
      return open.startMs;
    };
    await measure('start', async () => {
      const firstMs = open.startMs;
      const laterMs = await startAgain();
      const figures = { first_seconds: firstMs / 1_000, later_seconds: laterMs / 1_000 };
      return { name: 'start to healthy', figures };
    });
    for (const [name, run] of Object.entries(OF_A_VAULT)) {
      await measure(name, () => run(open, plan));
    }
    await measure('start', async () => {
      const figures = { seconds: (await startAgain()) / 1_000 };
      return { name: 'start on that ledger', figures };
    });
  } finally {
    await close();
  }
}

const options = readOptions();
const load = loadavg()[0]!;
const peers = options.peerCommand === undefined ? [] : [await openPeer(options.peerCommand)];
const measured = await measureAll(options, { ...options, peers }).finally(() =>
  peers.forEach((peer) => peer.close()),
);
const machine = { cpu: cpus()[0]?.model, cores: cpus().length, load, node: process.version };
process.stdout.write(`${JSON.stringify(machine)}\n\n${reportText(measured)}\n`);
if (options.jsonPath !== undefined) {
  // the percentiles say it; all latencies would be megabytes
  const withoutEach = (name: string, value: unknown) =>
    name === 'latenciesMs' ? undefined : value;
  const figures = JSON.stringify({ machine, measured }, withoutEach, 2);
  writeFileSync(options.jsonPath, `${figures}\n`);
}
if (options.pagePath !== undefined) {
  const { cpu, cores, node } = machine;
  const host = `${String(cpu)}, ${cores} cores, load ${load.toFixed(1)} before, Node ${node}`;
  writeFileSync(options.pagePath, reportPage(`${new Date().toISOString()}: ${host}`, measured));
}
