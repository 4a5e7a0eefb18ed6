/** Whether what a process reads and writes on its host is there, and open to it and to nobody else. */
import { createPrivateKey } from 'node:crypto';
import { existsSync, readFileSync, statSync, type Stats } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readEvidenceKeys } from '@countersign/core/evidence-key.js';
import { letsOthersIn } from '@countersign/core/private-file.js';
import { openPinFile } from '@countersign/runtime/ledger/ledger-pin.js';
import { readTrustedGenesis } from '@countersign/runtime/ledger/trusted-genesis.js';
import { readPriceTrust } from '@countersign/runtime/prices/price-trust.js';
import { wrappedKek } from '@countersign/runtime/settings/kek-settings.js';
import { readIdentityProviders } from '@countersign/runtime/tokens/identity-providers.js';
import type { z } from 'zod';
import { mayOpen, type Account } from './file-access.js';
import { fault, ok, tryCheck, warning, wordsOf, type Finding } from './finding.js';
import {
  KEK_NAME,
  PROCESS_VARIABLES,
  ROTATION_NAME,
  SEALED_KEY,
  SEALED_KEYS,
  type ProcessName,
} from './process-variables.js';

/** `account`: who the process runs as; undefined where nobody said so. */
export interface FileSurroundings {
  readonly given: Readonly<Record<string, string | undefined>>;
  readonly account: Account | undefined;
}

type FileCheck = (
  name: string,
  path: string,
  surroundings: FileSurroundings,
) => Finding | readonly Finding[] | Promise<Finding | readonly Finding[]>;

const CREDENTIALS = '/run/credentials/';
/** Where systemd makes what a unit calls its `StateDirectory=`. */
const STATE = '/var/lib';
const KEK_BYTES = 32;
/** As a party takes them apart. */
const SHORTEST_DOCUMENT = 4 * KEK_BYTES;

const CHECKS: Readonly<Record<string, FileCheck>> = {
  EVIDENCE_KEY_FILE: (name, path, { account }) =>
    privateFile(name, path, account) ??
    holds(name, path, 'an evidence key (`countersign evidence-key` makes one)', readEvidenceKeys),
  WEBHOOK_KEY_FILE: privateKeyFile,
  PRICE_KEY_FILE: privateKeyFile,
  KEY_DIR: keyFolder,
  KEK_FILE: kekFile,
  PIN_FILE: pinFile,
  GENESIS_FILE: genesisFile,
  IDENTITY_PROVIDERS_FILE: (name, path, { account, given }) =>
    readable(name, path, account) ??
    told(name, path, () => {
      const DEVELOPMENT_SIGN_IN =
        given['DEVELOPMENT_SIGN_IN'] === 'allowed' ? 'allowed' : 'refused';
      readIdentityProviders({ IDENTITY_PROVIDERS_FILE: path, DEVELOPMENT_SIGN_IN });
    }),
  PRICES_FILE: (name, path, { account }) =>
    readable(name, path, account) ?? told(name, path, () => readPriceTrust(path)),
  PRICE_SOURCES_FILE: jsonFile,
  WEBHOOK_JWKS_FILE: jsonFile,
  WEBHOOK_TARGETS_FILE: (name, path, surroundings) =>
    privateFile(name, path, surroundings.account) ?? jsonFile(name, path, surroundings),
  CONSOLE_DIR: (name, path, { account }) => {
    const page = join(path, 'index.html');
    return readable(name, page, account) ?? ok(name, `${path} has a console`);
  },
};

export async function checkFiles(
  process: ProcessName,
  surroundings: FileSurroundings,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const name of Object.keys(PROCESS_VARIABLES[process])) {
    const [path, check] = [surroundings.given[name], CHECKS[name]];
    if (check === undefined || path === undefined || path === '') continue;
    findings.push(...(await tryCheck(name, () => check(name, path, surroundings))));
  }
  return findings;
}

/** An environment file has passwords in it. The service manager reads it, so its owner is not looked at. */
export function checkEnvironmentFile(path: string): Finding {
  const stats = statSync(path);
  if (!letsOthersIn(path, stats)) return ok(path, 'nobody but its owner may open it');
  return fault(path, `others may open it (mode ${modeOf(stats)})`, `chmod 600 ${path}`);
}

const modeOf = ({ mode }: Stats) => (mode & 0o777).toString(8).padStart(4, '0');
const isCredential = (path: string) => resolve(path).startsWith(CREDENTIALS);

/** What is wrong with the file before anybody reads it; undefined where nothing is. */
function absent(name: string, path: string, want: 'file' | 'folder'): Finding | undefined {
  let stats: Stats;
  try {
    stats = statSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') return fault(name, wordsOf(error), 'let the process enter the folder');
    if (isCredential(path)) {
      const says = `${path} is a credential of systemd, and there only while its unit runs`;
      return warning(name, says, 'let the unit itself run the doctor (docs/how-to/units.md)');
    }
    return fault(name, `${path} is not there`, `put the ${want} there, or correct ${name}`);
  }
  if (want === 'file' ? stats.isFile() : stats.isDirectory()) return undefined;
  return fault(name, `${path} is no ${want}`, `correct ${name}`);
}

function readable(name: string, path: string, account: Account | undefined): Finding | undefined {
  const missing = absent(name, path, 'file');
  if (missing !== undefined) return missing;
  // systemd lets the unit's user in by an access control list
  const isOthers = isCredential(path) && account?.uid !== process.geteuid?.();
  if (account === undefined || isOthers || mayOpen(account, path, 'read')) return undefined;
  return fault(name, `${account.name} may not read ${path}`, 'let that user read it');
}

function privateFile(
  name: string,
  path: string,
  account: Account | undefined,
): Finding | undefined {
  const missing = absent(name, path, 'file');
  if (missing !== undefined) return missing;
  const stats = statSync(path);
  if (letsOthersIn(path, stats)) {
    return fault(name, `${path} lets others in (mode ${modeOf(stats)})`, `chmod 600 ${path}`);
  }
  if (account !== undefined && stats.uid !== account.uid && !isCredential(path)) {
    const says = `${path} belongs to user ${stats.uid}, and the process runs as ${account.name}`;
    return fault(name, says, `chown ${account.name} ${path}`);
  }
  return readable(name, path, account);
}

/** An error's words are left out: a parser's would have part of the secret in them. */
function holds(name: string, path: string, what: string, read: (path: string) => unknown): Finding {
  try {
    read(path);
    return ok(name, `${path} is private, and holds what it should`);
  } catch {
    return fault(name, `${path} does not hold ${what}`, 'put the right file there');
  }
}

/** Of a file without secrets: what is wrong in it. */
function told(name: string, path: string, read: () => unknown): Finding {
  try {
    read();
    return ok(name, `${path} can be read`);
  } catch (error) {
    return fault(name, wordsOf(error), `correct ${path}`);
  }
}

function privateKeyFile(name: string, path: string, { account }: FileSurroundings): Finding {
  const read = (file: string) => createPrivateKey(readFileSync(file));
  return privateFile(name, path, account) ?? holds(name, path, 'a private key (PEM)', read);
}

function jsonFile(name: string, path: string, { account }: FileSurroundings): Finding {
  const read = () => JSON.parse(readFileSync(path, 'utf8')) as unknown;
  return readable(name, path, account) ?? told(name, path, read);
}

async function keyFolder(
  name: string,
  path: string,
  surroundings: FileSurroundings,
): Promise<Finding[]> {
  const missing = absent(name, path, 'folder');
  if (missing !== undefined) return [missing];
  const { account, given } = surroundings;
  const stats = statSync(path);
  const findings: Finding[] = [];
  if (!isCredential(path) && (stats.mode & 0o077) !== 0) {
    findings.push(
      fault(name, `${path} lets others in (mode ${modeOf(stats)})`, `chmod 700 ${path}`),
    );
  }
  for (const file of SEALED_KEYS) {
    findings.push(
      ...(await tryCheck(name, () => sealedKeyFaults(name, join(path, file), account))),
    );
  }
  const next = join(path, ROTATION_NAME);
  if (existsSync(next)) {
    const says = `${next} is there: a rotation of the KEK was begun, and until its end the party does not start`;
    findings.push(fault(name, says, 'run the same `countersign kek rotate` again, to its end'));
  }
  if (given['KEK_FILE'] === undefined) {
    findings.push(...[kekFile(name, join(path, KEK_NAME), surroundings)].flat());
  }
  return findings.length > 0 ? findings : [ok(name, `${path} has the keys, and is private`)];
}

/** Nobody opens it here. A loss of power can leave a file with nothing in it. */
function sealedKeyFaults(name: string, path: string, account: Account | undefined): Finding[] {
  const wrong = privateFile(name, path, account);
  if (wrong !== undefined) return [wrong];
  const { bytes, version } = SEALED_KEY;
  const advice =
    'put the right file there, or bring the party back from its backup (docs/how-to/back-up.md)';
  const { size } = statSync(path);
  if (size !== bytes) {
    return [fault(name, `${path} has ${size} bytes, and a sealed key has ${bytes}`, advice)];
  }
  const [found] = readFileSync(path);
  if (found === version) return [];
  return [
    fault(name, `${path} has the version ${found}, and this release reads ${version}`, advice),
  ];
}

function kekFile(
  name: string,
  path: string,
  { account, given }: FileSurroundings,
): Finding | Finding[] {
  const wrong = privateFile(name, path, account);
  if (wrong !== undefined) return wrong;
  const { size } = statSync(path);
  if (size >= SHORTEST_DOCUMENT) return wrappedKekFile(name, path, account);
  if (size !== KEK_BYTES) {
    return fault(
      name,
      `${path} has ${size} bytes, and a KEK has ${KEK_BYTES}`,
      'put the KEK there',
    );
  }
  const folder = given['KEY_DIR'];
  if (folder === undefined || resolve(dirname(path)) !== resolve(folder) || isCredential(path)) {
    return ok(name, `${path} is private, and has the size of a KEK`);
  }
  const says = `${path} lies beside what it seals: whoever copies the folder has both`;
  return warning(name, says, 'move it, and name the new place in KEK_FILE');
}

/** A file that says whose key opens the KEK (docs/how-to/kek.md). Nobody is asked for it here. */
function wrappedKekFile(name: string, path: string, account: Account | undefined): Finding[] {
  const read = tryJson(path, wrappedKek);
  if (!read.success) {
    const [issue] = read.error.issues;
    const where = issue!.path.join('.');
    const says = `${path} says of no provider how it opens the KEK: ${where}: ${issue!.message}`;
    return [fault(name, says, 'restore the file: a KEK that is lost is not made again')];
  }
  const { by } = read.data;
  const credential =
    'token_file' in by ? by.token_file : 'pin_file' in by ? by.pin_file : undefined;
  const wrong = credential === undefined ? undefined : privateFile(name, credential, account);
  return [wrong ?? ok(name, `${path} is private, and ${by.provider} opens it by key ${by.key}`)];
}

function tryJson<T>(path: string, schema: z.ZodType<T>) {
  try {
    return schema.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return schema.safeParse(undefined);
  }
}

async function pinFile(
  name: string,
  path: string,
  { account, given }: FileSurroundings,
): Promise<Finding> {
  const folder = dirname(resolve(path));
  const missing = absent(name, folder, 'folder');
  if (missing !== undefined) {
    if (existsSync(folder) || dirname(folder) !== STATE) return missing;
    const says = `${folder} is not there: as a StateDirectory= systemd makes it when the unit starts`;
    return warning(name, says, 'without systemd, make it, and give it to the user of the process');
  }
  if (
    account !== undefined &&
    !(mayOpen(account, folder, 'write') && mayOpen(account, folder, 'enter'))
  ) {
    const says = `${account.name} may not write in ${folder}`;
    return fault(name, says, `chown ${account.name} ${folder}`);
  }
  const pin = await openPinFile(path)
    .read()
    .catch(() => 'no pin' as const);
  if (pin === 'no pin') {
    const says = `${path} is there, and is no pin that can be read`;
    return fault(name, says, 'do not delete it: find out first what wrote it');
  }
  const hash = trustedHash(given);
  if (pin !== undefined && hash !== undefined && pin.genesisHash !== hash) {
    return fault(name, `${path} is of another vault than the genesis`, `correct ${name}`);
  }
  return ok(name, pin === undefined ? `${folder} can be written` : `${path} is of this vault`);
}

/** Of the genesis that the operator named, hex; undefined where there is none, or none that can be read. */
export function trustedHash(given: FileSurroundings['given']): string | undefined {
  try {
    const { GENESIS_HASH, GENESIS_FILE } = given;
    return readTrustedGenesis({ GENESIS_HASH, GENESIS_FILE })();
  } catch {
    return undefined;
  }
}

function genesisFile(name: string, path: string, { account }: FileSurroundings): Finding {
  const missing = absent(name, path, 'file');
  if (missing !== undefined) {
    const says = `${path} is not there: until it is, the process waits`;
    return warning(name, says, 'bring what `init` wrote to this host');
  }
  return (
    readable(name, path, account) ??
    told(name, path, () => readTrustedGenesis({ GENESIS_FILE: path })())
  );
}
