/**
 * What is wrong with the configuration of a process, before anything starts. No value of a variable that may be a secret
 * is ever told.
 */
import { checkDatabase } from './check-database.js';
import { checkEnvironmentFile, checkFiles, trustedHash } from './check-files.js';
import { checkRedis } from './check-redis.js';
import { checkLibraryVariables, checkVariables } from './check-variables.js';
import { readEnvironmentFile } from './environment-file.js';
import { findAccount, ownAccount, type Account } from './file-access.js';
import { tryCheck, warning, wordsOf, type Finding } from './finding.js';
import { PROCESS_VARIABLES, type ProcessName } from './process-variables.js';

type Values = Readonly<Record<string, string | undefined>>;

export interface DoctorOptions {
  readonly process: ProcessName;
  readonly file: string | undefined;
  /** Undefined where root looks, and nobody said for whom. */
  readonly account: Account | undefined;
}

export interface Diagnosis {
  readonly process: ProcessName;
  readonly faults: number;
  readonly warnings: number;
  readonly findings: readonly Finding[];
}

/** Who the process runs as, where root may look for another; `unknown` where this host has no such user. */
export function accountOf(user: string | undefined): Account | undefined | 'unknown' {
  if (user !== undefined) return findAccount(user) ?? 'unknown';
  const own = ownAccount();
  return own.uid === 0 ? undefined : own;
}

export class UnreadableFileError extends Error {}

/** Throws UnreadableFileError where there is nothing to look at. */
export async function diagnose(options: DoctorOptions, environment: Values): Promise<Diagnosis> {
  const { findings, secrets } = await examine(options, environment);
  const told = findings.map((finding) => withoutSecrets(finding, secrets));
  return {
    process: options.process,
    faults: told.filter(({ verdict }) => verdict === 'fault').length,
    warnings: told.filter(({ verdict }) => verdict === 'warning').length,
    findings: told,
  };
}

export function describeDiagnosis({ process, faults, warnings, findings }: Diagnosis): string {
  return `${findings.map(lineOf).join('')}${process}: ${faults} faults, ${warnings} warnings\n`;
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
