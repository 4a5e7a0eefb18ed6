/**
 * `npm run bench`: measures a whole vault on this machine, on durable servers of its own.
 *
 *   --only <scenario>          only this one of those in bench-options.ts (may be repeated)
 *   --seconds <n>              how long each load runs in all, 10 by default
 *   --connections <n,n,...>    of the closed loops of signing, 1,64,256 by default
 *   --rates <n,n,...>          of its open loops, requests a second, 100 by default; batches have none
 *   --rounds <n>               in how many slices each of these loads is offered, 3 by default; the maths alone is
 *                              measured between them
 *   --alone                    without the maths
 *   --peer <command>           beside another system, which the command starts (peer-endpoint.ts)
 *   --compare <base> <new>     two commits, each built in its folder, in turns: of signing alone
 *   --json <path>              the figures as JSON, too
 *   --page <path>              and as a page with charts
 *   --prof <folder>            processor profiles of gateway and parties
 */
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { basename, resolve } from 'node:path';
import { argv, exit } from 'node:process';
import {
  readBenchOptions,
  SIGNING,
  type BenchOptions,
  type Signing,
  type Single,
} from './bench-options.js';
import { createBenchHome, OWN_ROOT, type BenchHome, type OpenVault } from './bench-vault.js';
import { measureFreezing } from './freeze-scenario.js';
import { measureOffered, type Offered, type Plan } from './offered-load.js';
import { measureOverload } from './overload-scenario.js';
import { openPeer } from './peer.js';
import { vaultUnderLoad } from './references.js';
import { chartLibrary, reportPage } from './report-page.js';
import { reportText, type Measured } from './report.js';
import { inBatches, prepareTraffic } from './traffic.js';

/** `itemsEach`: several signatures in each request, held against the same ones one by one. */
interface SigningKind extends Pick<Offered, 'name' | 'maths'> {
  readonly of: Single;
  readonly itemsEach?: number;
}

const RAW_SIGN: SigningKind = { of: 'sign', name: 'raw-sign', maths: 'ed25519' };
const VENUE_SIGN: SigningKind = { of: 'venue', name: 'venue sign, HMAC', maths: 'hmac' };
const KINDS: Readonly<Record<Signing, SigningKind>> = {
  sign: RAW_SIGN,
  venue: VENUE_SIGN,
  rsa: { of: 'rsa', name: 'raw-sign, RSA-2048', maths: 'rsa2048' },
  'sign-batch': { ...RAW_SIGN, name: 'raw-sign by 20', itemsEach: 20 },
  'venue-batch': { ...VENUE_SIGN, name: 'venue sign, HMAC, by 20', itemsEach: 20 },
};

interface Named {
  readonly name: string;
  readonly open: OpenVault;
}

function readOptions(): BenchOptions {
  try {
    return readBenchOptions(argv.slice(2));
  } catch (error) {
    process.stderr.write(`bench: ${(error as Error).message}\n`);
    exit(2);
  }
}

/** The last vault, with the others in turns beside it. */
async function measureSigning(kind: Signing, vaults: readonly Named[], plan: Plan) {
  const { of, itemsEach = 1, ...named } = KINDS[kind];
  const singles = await Promise.all(vaults.map(({ open }) => prepareTraffic(open, of, kind)));
  const traffics = itemsEach === 1 ? singles : singles.map((one) => inBatches(one, itemsEach));
  const others = vaults.slice(0, -1);
  const peers = others.map(({ name, open }, at) => vaultUnderLoad(name, open, traffics[at]!));
  const { open } = vaults.at(-1)!;
  const offered = { ...named, traffic: traffics.at(-1)! };
  if (itemsEach > 1) {
    peers.push(vaultUnderLoad('one by one', open, { itemsEach: 1, ...singles.at(-1)! }));
  }
  return measureOffered(open, offered, {
    ...plan,
    ...(itemsEach > 1 && { rates: [] }),
    peers: [...plan.peers, ...peers],
  });
}

async function measureAll(options: BenchOptions, plan: Plan): Promise<Measured[]> {
  const { wanted, compared, profileFolder } = options;
  const profiling =
    profileFolder === undefined
      ? []
      : ['--cpu-prof', `--cpu-prof-dir=${resolve(profileFolder)}`, '--cpu-prof-interval=500'];
  const homes: BenchHome[] = [];
  const close = async () => {
    await Promise.all(homes.map((home) => home.stop()));
    for (const home of homes) home.remove();
  };
  for (const signal of ['SIGINT', 'SIGTERM']) {
    // not once: a second signal, by whoever started us and had it too, would end us before what we started
    process.on(signal, () => void close().finally(() => exit(1)));
  }
  try {
    const vaults: Named[] = [];
    for (const folder of compared.length === 0
      ? [OWN_ROOT]
      : compared.map((path) => resolve(path))) {
      const home = createBenchHome({ root: folder, execArgv: profiling });
      homes.push(home);
      vaults.push({ name: basename(folder), open: await home.open() });
    }
    const newest = vaults.at(-1)!.open;
    const measured: Measured[] = [];
    for (const kind of SIGNING) {
      if (wanted.has(kind)) measured.push(...(await measureSigning(kind, vaults, plan)));
    }
    if (wanted.has('overload')) measured.push(...(await measureOverload(newest, plan.seconds)));
    if (wanted.has('freeze')) measured.push(...(await measureFreezing(newest, plan.seconds)));
    return measured;
  } finally {
    await close();
  }
}

const options = readOptions();
const library = options.pagePath === undefined ? '' : chartLibrary();
const load = loadavg()[0]!;
const peers = options.peerCommand === undefined ? [] : [await openPeer(options.peerCommand)];
const measured = await measureAll(options, { ...options, peers }).finally(() =>
  peers.forEach((peer) => peer.close()),
);
const machine = { cpu: cpus()[0]?.model, cores: cpus().length, load, node: process.version };
process.stdout.write(`${JSON.stringify(machine)}\n\n${reportText(measured)}\n`);
if (options.jsonPath !== undefined) {
  // the percentiles say it; all latencies would be megabytes
  const short = (name: string, value: unknown) => (name === 'latenciesMs' ? undefined : value);
  writeFileSync(options.jsonPath, `${JSON.stringify({ machine, measured }, short, 2)}\n`);
}
if (options.pagePath !== undefined) {
  const host = `${machine.cpu}, ${machine.cores} cores, load ${load.toFixed(1)}, Node ${machine.node}`;
  writeFileSync(
    options.pagePath,
    reportPage(`${new Date().toISOString()}: ${host}`, measured, library),
  );
}
