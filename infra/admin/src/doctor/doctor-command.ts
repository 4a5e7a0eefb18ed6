/**
 * `countersign doctor PROCESS`: what is wrong with the configuration of a process, before anything starts.
 *
 *   PROCESS                gateway, party, notifier, prices or migrate
 *   --environment FILE     its environment file; without it, the environment of this command. (An option --env-file is
 *                          Node's own wherever it stands.)
 *   --user NAME            who the process runs as; without it, whoever runs this command, unless that is root
 *   --json                 for programs
 *
 * Exit codes: 0 nothing is wrong (there may be warnings), 1 something is, 2 wrong usage. No value of a variable that may be a
 * secret is ever told.
 */
import { parseArgs } from 'node:util';
import { checkDatabase } from './check-database.js';
import { checkEnvironmentFile, checkFiles, trustedHash } from './check-files.js';
import { checkRedis } from './check-redis.js';
import { checkLibraryVariables, checkVariables } from './check-variables.js';
import { readEnvironmentFile } from './environment-file.js';
import { findAccount, ownAccount, type Account } from './file-access.js';
import { tryCheck, warning, wordsOf, type Finding } from './finding.js';
import { PROCESS_NAMES, PROCESS_VARIABLES, type ProcessName } from './process-variables.js';

export const DOCTOR_USAGE = `doctor ${PROCESS_NAMES.join('|')} [--environment FILE] [--user NAME] [--json]`;

type Values = Readonly<Record<string, string | undefined>>;

export interface DoctorOptions {
  readonly process: ProcessName;
  readonly file: string | undefined;
  /** Undefined where root looks, and nobody said for whom. */
  readonly account: Account | undefined;
  readonly isJson: boolean;
}

/** What is wrong with the arguments, as text. */
export function parseDoctorOptions(args: readonly string[]): DoctorOptions | string {
  const parsed = parse(args);
  if (parsed === undefined) return DOCTOR_USAGE;
  const { positionals, values } = parsed;
  const process = PROCESS_NAMES.find((one) => one === positionals[0]);
  if (process === undefined || positionals.length > 1) return DOCTOR_USAGE;
  const { user, environment: file, json: isJson } = values;
  const named = user === undefined ? ownAccount() : findAccount(user);
  if (named === undefined) return `--user: this host has no user ${user}`;
  const account = user === undefined && named.uid === 0 ? undefined : named;
  return { process, file, account, isJson };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        environment: { type: 'string' },
        user: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    });
  } catch {
    return undefined;
  }
}

export class UnreadableFileError extends Error {}

/** Looks, prints, and returns the exit code. Throws UnreadableFileError where there is nothing to look at. */
export async function runDoctor(
  options: DoctorOptions,
  environment: Values,
  write: (text: string) => void,
): Promise<number> {
  const { findings, secrets } = await examine(options, environment);
  const told = findings.map((finding) => withoutSecrets(finding, secrets));
  const faults = told.filter(({ verdict }) => verdict === 'fault').length;
  const warnings = told.filter(({ verdict }) => verdict === 'warning').length;
  const { process } = options;
  if (options.isJson) {
    write(`${JSON.stringify({ process, faults, warnings, findings: told }, null, 2)}\n`);
  } else {
    write(`${told.map(lineOf).join('')}${process}: ${faults} faults, ${warnings} warnings\n`);
  }
  return faults > 0 ? 1 : 0;
}

const lineOf = ({ about, verdict, says, advice }: Finding) =>
  `${verdict.padEnd(8)} ${about}: ${says}\n${advice === undefined ? '' : `         → ${advice}\n`}`;

async function examine({ process, file, account }: DoctorOptions, environment: Values) {
  const { given, findings } = readGiven(file, environment);
  findings.push(
    ...(await tryCheck('variables', () => checkVariables(process, given, file !== undefined))),
  );
  if (file !== undefined) {
    const check = () => [checkEnvironmentFile(file), ...checkLibraryVariables(file, given)];
    findings.push(...(await tryCheck(file, check)));
  }
  findings.push(...(await checkFiles(process, { given, account })));
  if (account === undefined) {
    const says =
      'the doctor runs as root, so it did not compare owners and rights of files with the process';
    findings.push(warning('user', says, 'name the user of the process: --user NAME'));
  }
  const { DATABASE_URL: url, REDIS_URL: redis, PARTY: party } = given;
  const reads = (name: string) => Object.hasOwn(PROCESS_VARIABLES[process], name);
  if (reads('DATABASE_URL') && isUrl(url)) {
    const surroundings = { url, party, genesisHash: trustedHash(given) };
    findings.push(...(await tryCheck('PostgreSQL', () => checkDatabase(process, surroundings))));
  }
  if (reads('REDIS_URL') && isUrl(redis)) {
    findings.push(...(await tryCheck('Redis', () => checkRedis(redis))));
  }
  return { findings, secrets: [url, redis].flatMap(secretsOf) };
}

function readGiven(file: string | undefined, environment: Values) {
  if (file === undefined) return { given: environment, findings: [] as Finding[] };
  try {
    const { values, findings } = readEnvironmentFile(file);
    return { given: values as Values, findings: [...findings] };
  } catch (error) {
    throw new UnreadableFileError(`--environment: ${wordsOf(error)}`);
  }
}

const isUrl = (text: string | undefined): text is string =>
  text !== undefined && URL.canParse(text);

/** Less is no secret, and may stand anywhere. */
const LEAST_SECRET = 3;

/** What of a URL nobody may read, as it stands there and as it is meant. */
function secretsOf(url: string | undefined): string[] {
  if (url === undefined || url === '') return [];
  const { password = '' } = URL.canParse(url) ? new URL(url) : {};
  return [url, password, safelyDecoded(password)].filter((one) => one.length >= LEAST_SECRET);
}

function safelyDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Servers and libraries word their errors as they like. */
function withoutSecrets(finding: Finding, secrets: readonly string[]): Finding {
  const clean = (text: string) => secrets.reduce((all, one) => all.replaceAll(one, '…'), text);
  const { says, advice } = finding;
  return { ...finding, says: clean(says), ...(advice !== undefined && { advice: clean(advice) }) };
}
