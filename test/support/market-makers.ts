/** The market maker of the Python examples at the venues of a bot's desk, one process for each market. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { LAB_VENUES } from '../../workshop/dist/lab/catalogue/lab-venues.js';
import type { BotDesk } from './bot-desk.ts';

interface MakerMarket {
  readonly venueId: string;
  readonly kind: 'spot' | 'perpetual';
  /** What the venue's public Python library sends by. */
  readonly library: 'own' | 'requests' | 'httpx';
}

export const MAKER_MARKETS: Readonly<Record<string, MakerMarket>> = {
  binance: { venueId: 'binance', kind: 'spot', library: 'requests' },
  binance_futures: { venueId: 'binance', kind: 'perpetual', library: 'requests' },
  bybit: { venueId: 'bybit', kind: 'spot', library: 'requests' },
  okx: { venueId: 'okx', kind: 'spot', library: 'httpx' },
  kraken: { venueId: 'kraken', kind: 'spot', library: 'requests' },
  deribit: { venueId: 'deribit', kind: 'perpetual', library: 'own' },
  coinbase_advanced: { venueId: 'coinbase_advanced', kind: 'spot', library: 'requests' },
};

export interface MakerReport {
  readonly market: string;
  readonly rounds: number;
  readonly placed: number;
  readonly cancelled: number;
  readonly failed: readonly string[];
  /** Questions without an answer, after which it began a round anew. */
  readonly interrupted: readonly string[];
  /** What became of its withdrawal: the vault's word, or `went through`. */
  readonly withdrawal: string;
  /** The vault's word that ended it before its time. */
  readonly stopped?: string;
}

export interface RunningMaker {
  /** When its first round is over. */
  readonly trading: Promise<void>;
  /** When its process has ended. Throws what the program said, if it ended badly. */
  readonly report: Promise<MakerReport>;
  /** Has it cancel its orders, report and end before its time (SIGINT). */
  stop(): void;
  /** Ends the process, if it has not ended. */
  kill(): void;
}

export interface MakerOptions {
  readonly seconds: number;
  readonly wire?: MakerMarket['library'];
  readonly pauseS?: number;
}

const run = promisify(execFile);

/**
 * The wire of the venue's library where it is installed, otherwise the one of the package itself. Nothing waits here
 * meanwhile: the venues of makers that trade already are in this process.
 */
export async function libraryWire(python: string, market: string): Promise<MakerMarket['library']> {
  const { library } = MAKER_MARKETS[market]!;
  if (library === 'own') return library;
  try {
    await run(python, ['-c', `import ${library}`]);
    return library;
  } catch {
    return 'own';
  }
}

/** What `npm start -- --lab` writes for bots, for this desk. Returns the file. */
export function writeLabFile(desk: BotDesk, folder: string): string {
  const pem = join(folder, 'bot.pem');
  const key = desk.bot.privateKey.export({ format: 'pem', type: 'pkcs8' });
  writeFileSync(pem, key, { mode: 0o600 });
  const venues = LAB_VENUES.map(({ id }) => [
    id,
    { url: desk.urlOf(id), key_id: desk.seed.desks[id]!.keyId },
  ]);
  const lab = {
    base_url: desk.vault.baseUrl,
    bot: { api_key: desk.seed.botApiKey, private_key_file: pem },
    venues: Object.fromEntries(venues) as object,
  };
  const file = join(folder, 'lab.json');
  writeFileSync(file, JSON.stringify(lab));
  return file;
}

/** Starts one. Its seed is always the same. */
export function startMaker(
  python: string,
  labFile: string,
  market: string,
  { seconds, wire = 'own', pauseS = 0.05 }: MakerOptions,
): RunningMaker {
  const program = ['-B', 'client/python/examples/market_maker.py', labFile, String(seconds)];
  const options = ['--market', market, '--wire', wire, '--pause-s', String(pauseS)];
  const paths = ['client/python/src', process.env['PYTHONPATH']].filter(Boolean).join(':');
  const child = spawn(python, [...program, ...options], {
    env: { PATH: process.env['PATH'], PYTHONPATH: paths },
  });
  const errors: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  const lines: string[] = [];
  const ended = once(child, 'close') as Promise<[number]>;
  const report = ended.then(([code]) => {
    if (code !== 0) throw new Error(`${market}: ${Buffer.concat(errors).toString()}`);
    return JSON.parse(lines.at(-1)!) as MakerReport;
  });
  const trading = new Promise<void>((begun, failed) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      if (line === 'trading') begun();
    });
    report.then(() => failed(new Error(`${market} ended before it traded`)), failed);
  });
  // whoever waits for one of them hears of it there
  for (const outcome of [report, trading]) outcome.catch(() => undefined);
  return {
    trading,
    report,
    stop: () => void child.kill('SIGINT'),
    kill: () => void child.kill(),
  };
}
