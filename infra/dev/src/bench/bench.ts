/**
 * `npm run bench`: measures a whole vault on this machine, on servers of its own (durable) unless
 * DATABASE_URL and REDIS_URL name others, which it fills with users and signatures.
 *
 *   --only <start|sign|overload|venue|bot|refuse|rsa|generate|import|bare|frost|http|users|fold|audit>   only these (may be repeated)
 *   --seconds <n>                         how long each load runs in all, 10 by default
 *   --connections <n,n,...>               of the closed loops of signing, 1,64,256 by default
 *   --rates <n,n,...>                     of its open loops, requests a second, 100 by default
 *   --rounds <n>                          in how many slices each of these loads is offered, 3 by default; between them
 *                                         the maths alone and the obvious server are measured
 *   --alone                               without these
 *   --json <path>                         the figures as JSON, too
 *   --prof <folder>                       processor profiles of gateway and parties
 */
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { measureBots } from './bot-scenario.js';
import {
  measureImport,
  measureRefusals,
  measureRsaGeneration,
  measureRsaSigning,
  measureVenueSigning,
} from './key-scenarios.js';
import { createBenchHome, type OpenVault } from './bench-vault.js';
import { measureHttpServers } from './http-servers.js';
import type { Plan } from './offered-load.js';
import { measureOverload } from './overload-scenario.js';
import { reportText } from './report.js';
import {
  measureAudit,
  measureBare,
  measureFold,
  measureFrost,
  measureSigning,
  measureUserList,
} from './scenarios.js';
import type { Measured } from './measured.js';

const SCENARIOS = [
  'start',
  'sign',
  'overload',
  'venue',
  'bot',
  'refuse',
  'rsa',
  'generate',
  'import',
  'bare',
  'frost',
  'http',
  'users',
  'fold',
  'audit',
] as const;
/** Those that need no vault. */
const ALONE: readonly Scenario[] = ['bare', 'frost', 'http', 'fold', 'audit'];
type Scenario = (typeof SCENARIOS)[number];

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [...SCENARIOS] },
    seconds: { type: 'string', default: '10' },
    connections: { type: 'string', default: '1,64,256' },
    rates: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '3' },
    alone: { type: 'boolean', default: false },
    json: { type: 'string' },
    prof: { type: 'string' },
  },
});
const seconds = Number(options.seconds);
const connections = options.connections.split(',').map(Number);
const rates = options.rates.split(',').map(Number);
const rounds = Number(options.rounds);
const wanted = new Set(options.only);
const unknown = [...wanted].filter((name) => !(SCENARIOS as readonly string[]).includes(name));
if (
  unknown.length > 0 ||
  ![seconds, rounds, ...connections, ...rates].every((number) => number > 0)
) {
  process.stderr.write(
    `bench: scenarios are ${SCENARIOS.join(', ')}; --seconds, --rounds, --connections and --rates are numbers\n`,
  );
  process.exit(2);
}

const plan: Plan = { seconds, rounds, connections, rates, isAlone: options.alone, peers: [] };
const measured: Measured[] = [];

function isWanted(scenario: Scenario): boolean {
  return wanted.has(scenario);
}

async function measure(
  scenario: Scenario,
  run: () => Promise<Measured | Measured[]>,
): Promise<void> {
  if (!isWanted(scenario)) return;
  process.stderr.write(`measuring ${scenario} ...\n`);
  measured.push(...[await run()].flat());
}

async function measureVault(): Promise<void> {
  const { DATABASE_URL, REDIS_URL } = process.env;
  const profiling =
    options.prof === undefined
      ? []
      : ['--cpu-prof', `--cpu-prof-dir=${resolve(options.prof)}`, '--cpu-prof-interval=500'];
  const home = createBenchHome({ DATABASE_URL, REDIS_URL }, profiling);
  let open: OpenVault | undefined;
  const stopOn = (signal: NodeJS.Signals) =>
    void close().finally(() => process.exit(signal === 'SIGINT' ? 130 : 143));
  const close = async () => {
    await open?.stop();
    home.remove();
  };
  process.once('SIGINT', stopOn);
  process.once('SIGTERM', stopOn);
  try {
    open = await home.open();
    await measure('start', async () => {
      const firstMs = open!.startMs;
      await open!.stop();
      open = await home.open();
      const figures = { first_seconds: firstMs / 1_000, later_seconds: open.startMs / 1_000 };
      return { name: 'start to healthy', figures };
    });
    await measure('sign', () => measureSigning(open!, plan));
    await measure('overload', () => measureOverload(open!, seconds));
    await measure('venue', () => measureVenueSigning(open!, plan));
    await measure('bot', () => measureBots(open!, seconds));
    await measure('refuse', () => measureRefusals(open!, seconds));
    await measure('rsa', () => measureRsaSigning(open!, plan));
    await measure('generate', () => measureRsaGeneration(open!));
    await measure('import', () => measureImport(open!));
    await measure('bare', () => measureBare(Math.min(seconds, 5)));
    await measure('users', () => measureUserList(open!, seconds));
    await measure('start', async () => {
      await open!.stop();
      open = await home.open();
      return { name: 'start on that ledger', figures: { seconds: open.startMs / 1_000 } };
    });
  } finally {
    await close();
  }
}

const load = loadavg()[0]!;
if (SCENARIOS.some((name) => wanted.has(name) && !ALONE.includes(name))) await measureVault();
else await measure('bare', () => measureBare(Math.min(seconds, 5)));
await measure('frost', measureFrost);
await measure('http', measureHttpServers);
await measure('fold', measureFold);
await measure('audit', measureAudit);
const machine = { cpu: cpus()[0]?.model, cores: cpus().length, load, node: process.version };
process.stdout.write(`${JSON.stringify(machine)}\n\n${reportText(measured)}\n`);
if (options.json !== undefined) {
  // the percentiles say it; all latencies would be megabytes
  const withoutEach = (name: string, value: unknown) =>
    name === 'latenciesMs' ? undefined : value;
  writeFileSync(options.json, JSON.stringify({ machine, measured }, withoutEach, 2) + '\n');
}
