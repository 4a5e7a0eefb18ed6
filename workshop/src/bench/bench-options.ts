/** The options of `npm run bench`, read. */
import { parseArgs } from 'node:util';

/** Signatures, each kind offered in the same ways. */
const SINGLES = ['sign', 'venue', 'rsa'] as const;
export const SIGNING = [...SINGLES, 'sign-batch', 'venue-batch'] as const;
export const SCENARIOS = [...SIGNING, 'overload', 'freeze'] as const;

export type Single = (typeof SINGLES)[number];
export type Signing = (typeof SIGNING)[number];
export type Scenario = (typeof SCENARIOS)[number];

export interface BenchOptions {
  readonly wanted: ReadonlySet<Scenario>;
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: readonly number[];
  readonly rates: readonly number[];
  readonly isAlone: boolean;
  readonly peerCommand: string | undefined;
  /** Folders of two built commits, base and new; none: this one alone. */
  readonly compared: readonly string[];
  readonly jsonPath: string | undefined;
  readonly pagePath: string | undefined;
  readonly profileFolder: string | undefined;
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
} as const;

/** Throws an Error that says what is wrong. */
export function readBenchOptions(args: readonly string[]): BenchOptions {
  const given = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  const { values, positionals } = given;
  const known: readonly string[] = values.compare ? SIGNING : SCENARIOS;
  const only = values.only ?? (values.compare ? ['sign'] : SCENARIOS);
  if (!only.every((name) => known.includes(name))) {
    throw new Error(`--only is one of ${known.join(', ')}`);
  }
  const rounds = positive('rounds', values.rounds);
  if (!Number.isInteger(rounds)) throw new Error('--rounds is a whole number');
  if (positionals.length !== (values.compare ? 2 : 0)) {
    throw new Error('--compare has two folders, base and new; nothing else has any');
  }
  return {
    wanted: new Set(only as readonly Scenario[]),
    seconds: positive('seconds', values.seconds),
    rounds,
    connections: values.connections.split(',').map((text) => positive('connections', text)),
    rates: values.rates.split(',').map((text) => positive('rates', text)),
    isAlone: values.alone,
    peerCommand: values.peer,
    compared: positionals,
    jsonPath: values.json,
    pagePath: values.page,
    profileFolder: values.prof,
  };
}

function positive(name: string, text: string): number {
  const number = Number(text);
  if (!(number > 0 && number < Infinity)) throw new Error(`--${name} is more than zero`);
  return number;
}
