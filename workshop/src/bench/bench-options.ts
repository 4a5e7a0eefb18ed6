/** The options of `npm run bench`, read. */
import { parseArgs } from 'node:util';

export const SCENARIOS = [
  'start',
  'sign',
  'overload',
  'venue',
  'policy',
  'freeze',
  'bot',
  'refuse',
  'rsa',
  'rsa4096',
  'generate',
  'import',
  'bare',
  'scale',
  'users',
  'frost',
  'http',
  'fold',
  'audit',
] as const;

export type Scenario = (typeof SCENARIOS)[number];

export interface BenchOptions {
  readonly wanted: ReadonlySet<Scenario>;
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: readonly number[];
  readonly rates: readonly number[];
  readonly isAlone: boolean;
  readonly peerCommand?: string | undefined;
  /** Folders of two built commits: before, after. */
  readonly compared?: readonly [string, string];
  readonly jsonPath?: string | undefined;
  readonly pagePath?: string | undefined;
  readonly profileFolder?: string | undefined;
  /** How late event loops are, and what is allocated. */
  readonly looksInside: boolean;
}

const OPTIONS = {
  only: { type: 'string', multiple: true },
  seconds: { type: 'string', default: '10' },
  connections: { type: 'string', default: '1,64,256' },
  rates: { type: 'string', default: '100' },
  rounds: { type: 'string', default: '3' },
  alone: { type: 'boolean', default: false },
  peer: { type: 'string' },
  compare: { type: 'boolean', default: false },
  json: { type: 'string' },
  page: { type: 'string' },
  prof: { type: 'string' },
  inside: { type: 'boolean', default: false },
} as const;

/** Throws an Error that says what is wrong. */
export function readBenchOptions(args: readonly string[]): BenchOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: OPTIONS,
    allowPositionals: true,
  });
  const only = values.only ?? (values.compare ? ['sign'] : SCENARIOS);
  const wanted = new Set(only.map((name) => scenarioOf(name, values.compare)));
  const rounds = positive('rounds', values.rounds);
  if (!Number.isInteger(rounds)) throw new Error('--rounds is a whole number');
  return {
    wanted,
    seconds: positive('seconds', values.seconds),
    rounds,
    connections: values.connections.split(',').map((text) => positive('connections', text)),
    rates: values.rates.split(',').map((text) => positive('rates', text)),
    isAlone: values.alone,
    peerCommand: values.peer,
    ...comparedFolders(values.compare, positionals),
    jsonPath: values.json,
    pagePath: values.page,
    profileFolder: values.prof,
    looksInside: values.inside,
  };
}

const COMPARED: readonly string[] = ['sign', 'venue', 'rsa'];

function scenarioOf(name: string, isCompared: boolean): Scenario {
  const known = isCompared ? COMPARED : SCENARIOS;
  if (!known.includes(name)) throw new Error(`--only is one of ${known.join(', ')}`);
  return name as Scenario;
}

function positive(name: string, text: string): number {
  const number = Number(text);
  if (!(number > 0 && number < Infinity)) throw new Error(`--${name} is more than zero`);
  return number;
}

function comparedFolders(
  isCompared: boolean,
  folders: readonly string[],
): Pick<BenchOptions, 'compared'> {
  if (isCompared && folders.length === 2) return { compared: [folders[0]!, folders[1]!] };
  if (isCompared) throw new Error('--compare needs two folders: before and after');
  if (folders.length > 0) throw new Error(`what is ${folders.join(' ')}?`);
  return {};
}
