/** Whether the variables of a process are those that it reads, with values that it takes. */
import type { z } from 'zod';
import { isCloudVariable } from '@countersign/runtime/settings/kek-settings.js';
import { fault, ok, warning, type Finding } from './finding.js';
import { nearestWord } from './near-words.js';
import { PROCESS_NAMES, PROCESS_VARIABLES, type ProcessName } from './process-variables.js';

type Values = Readonly<Record<string, string | undefined>>;

/** What Node itself, its libraries and the system read. */
const OF_OTHERS =
  /^(NODE_.*|UV_.*|SSL_.*|PG.*|LC_.*|LANG|TZ|(https?|no)_proxy|(HTTPS?|NO)_PROXY|HOME|HOSTNAME|HOSTTYPE|USER|PATH|PWD|SHELL|LOGNAME|TERM|TMPDIR|CREDENTIALS_DIRECTORY|STATE_DIRECTORY)$/;

/** `isOwnFile`: the values come from a file of this process alone, so that whatever is in it is meant for it. */
export function checkVariables(process: ProcessName, given: Values, isOwnFile: boolean): Finding[] {
  const shape: Readonly<Record<string, z.ZodType>> = PROCESS_VARIABLES[process];
  const known = Object.keys(shape);
  const names = Object.keys(given).filter((name) => given[name] !== undefined);
  const strange = names
    .filter((name) => !known.includes(name))
    .flatMap((name) => strangeVariable(name, { process, known, given, isOwnFile }));
  const values = known.flatMap((name) => checkValue(name, shape[name]!, given[name]));
  const findings = [...strange, ...values, ...checkTogether(process, given)];
  if (findings.length > 0) return findings;
  return [ok('variables', `the variables of ${process} are there, and have values it takes`)];
}

interface Surroundings {
  readonly process: ProcessName;
  readonly known: readonly string[];
  readonly given: Values;
  readonly isOwnFile: boolean;
}

function strangeVariable(
  name: string,
  { process, known, given, isOwnFile }: Surroundings,
): Finding[] {
  if (name.startsWith('COUNTERSIGN_')) {
    return [fault(name, `${process} does not start with it`, 'take it out')];
  }
  if (OF_OTHERS.test(name)) return [];
  // a cloud that opens the KEK
  if (process === 'party' && isCloudVariable(name)) return [];
  const missing = known.filter((one) => given[one] === undefined);
  const meant = sameLetters(name, missing) ?? nearestWord(name.toUpperCase(), missing);
  if (meant !== undefined) {
    return [fault(name, `${process} does not read it: it reads ${meant}`, `rename it to ${meant}`)];
  }
  if (!isOwnFile) return [];
  const readers = PROCESS_NAMES.filter((one) => Object.hasOwn(PROCESS_VARIABLES[one], name));
  const whose =
    readers.length > 0
      ? `${readers.join(', ')} read${readers.length > 1 ? '' : 's'} it`
      : 'no process of the vault reads it';
  return [warning(name, `${process} does not read it; ${whose}`, 'take it out')];
}

const sameLetters = (name: string, known: readonly string[]) =>
  known.find((one) => one === name.toUpperCase());

function checkValue(name: string, schema: z.ZodType, value: string | undefined): Finding[] {
  const read = schema.safeParse(value);
  if (read.success) return [];
  if (value === undefined)
    return [fault(name, 'the process needs it, and it is not set', `set ${name}`)];
  const [issue] = read.error.issues;
  // zod's own words name no value that was given
  return [fault(name, `the process refuses its value: ${issue!.message}`, `correct ${name}`)];
}

/** What Node and `pg` read by themselves when a program starts. */
const OF_LIBRARIES = /^(PG.*|NODE_EXTRA_CA_CERTS|NODE_OPTIONS|SSL_CERT_.*)$/;

/** In a file they are not in force for the doctor, who then finds faults where the process has none. */
export function checkLibraryVariables(file: string, given: Values): Finding[] {
  const names = Object.keys(given).filter((name) => OF_LIBRARIES.test(name));
  if (names.length === 0) return [];
  const says = `${names.join(', ')} of the file ${names.length > 1 ? 'were' : 'was'} not used`;
  const advice = `set -a; . ${file}; set +a; and ask again without --environment`;
  return [warning(file, says, advice)];
}

/** What one variable alone does not show. */
function checkTogether(process: ProcessName, given: Values): Finding[] {
  const findings: Finding[] = [];
  const reads = (name: string) => Object.hasOwn(PROCESS_VARIABLES[process], name);
  if (
    reads('GENESIS_FILE') &&
    given['GENESIS_FILE'] === undefined &&
    given['GENESIS_HASH'] === undefined
  ) {
    findings.push(
      fault(
        'GENESIS_FILE',
        'neither it nor GENESIS_HASH is set',
        'name the file that `init` wrote',
      ),
    );
  }
  for (const name of ['DEVELOPMENT_SIGN_IN', 'WEBHOOK_LOOPBACK']) {
    if (reads(name) && given[name] === 'allowed') {
      findings.push(warning(name, 'it is for development alone', 'take it out in production'));
    }
  }
  for (const name of ['HOST', 'METRICS_HOST']) {
    const host = given[name];
    if (!reads(name) || host === undefined || isLoopback(host)) continue;
    const says = 'other hosts reach this port, which speaks no TLS';
    findings.push(warning(name, says, 'let a proxy or a firewall stand before it'));
  }
  return findings;
}

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || /^127\./.test(host);
