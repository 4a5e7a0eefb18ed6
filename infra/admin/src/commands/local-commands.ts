/** What an operator does beside the service: with the database, files and logs. Modules with drivers load when they are needed. */
import { readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseBase64Url, toBase64 } from '@countersign/core/bytes.js';
import { createEvidenceKeyFile, readEvidenceKeys } from '@countersign/core/evidence-key.js';
import { isEd25519PublicKey } from '@countersign/core/ed25519.js';
import { UUID_PATTERN } from '@countersign/core/hash.js';
import { createDurably, requireNew } from '@countersign/runtime/process/create-durably.js';
import type {
  CreatedGenesis,
  DoubtfulGenesisError,
  PartyPublicKeys,
} from '../genesis/create-genesis.js';
import type { GenesisPin } from '../genesis/genesis-pin.js';
import { wordsOf } from '../doctor/finding.js';
import { PROCESS_NAMES, type ProcessName } from '../doctor/process-variables.js';
import {
  UsageError,
  type Command,
  type Given,
  type Outcome,
  type Surroundings,
} from '../tool/command.js';

const OWNER = 'Reads DATABASE_URL from the environment: that of the owner of the database.';

const EVIDENCE_KEY_OPTION = {
  name: 'evidence-key',
  value: 'FILE',
  about: 'The evidence key file.',
} as const;

const migrate: Command = {
  words: 'migrate',
  about: 'Bring the database to this release.',
  details: OWNER,
  examples: ['migrate'],
  async run(_given, io) {
    const { migrate: bring } = await import('../database/migrate.js');
    return { value: { migrations: await bring(databaseUrl(io)) } };
  },
};

const removeOld: Command = {
  words: 'requests remove-old',
  about: 'Take accepted requests, results and idempotency keys out of the database.',
  details: OWNER,
  options: [
    { name: 'older-than', value: 'DAYS', about: 'Age in days, 30 or more.', isRequired: true },
    { name: 'dry-run', about: 'Count, and take nothing.' },
  ],
  examples: ['requests remove-old --older-than 400 --dry-run'],
  async run(given, io) {
    const { MIN_DAYS } = await import('../database/retention.js');
    const { removeOldRequests } = await import('../database/remove-old-requests.js');
    const [olderThanDays, dryRun] = [Number(given.one('older-than')), given.is('dry-run')];
    if (!Number.isInteger(olderThanDays) || olderThanDays < MIN_DAYS) {
      throw new UsageError(`--older-than is a number of days, ${MIN_DAYS} or more`);
    }
    const options = { olderThanDays, dryRun, now: Date.now() };
    const rows = await removeOldRequests(databaseUrl(io), options);
    return { value: { older_than_days: olderThanDays, dry_run: dryRun, rows } };
  },
};

const init: Command = {
  words: 'init',
  about: 'Make the genesis: parties, evidence key and first users, for good.',
  details: `Reads DATABASE_URL from the environment: a gateway's login does. A second time is an error. Writes over no file.`,
  options: [
    {
      name: 'parties',
      value: 'FILE,FILE,FILE',
      about: 'What `party create-keys` printed on each host.',
      isRequired: true,
    },
    { ...EVIDENCE_KEY_OPTION, isRequired: true },
    {
      name: 'user',
      value: 'NAME=PUBLIC_KEY',
      about: 'A first user: Ed25519, 32 bytes, base64url. May be repeated.',
      isRequired: true,
      isList: true,
    },
    {
      name: 'secret-folder',
      value: 'FOLDER',
      about: 'A new folder (mode 0700) for the API keys of the first users, a file for each id.',
      isRequired: true,
    },
    { name: 'genesis', value: 'FILE', about: 'Also writes what every process is to trust.' },
    { name: 'rp-id', value: 'DOMAIN', about: "Where people's passkeys belong; it never changes." },
    {
      name: 'origin',
      value: 'URL',
      about: 'Where the console is opened, of that domain. May be repeated.',
      isList: true,
    },
  ],
  examples: [
    'init --parties party-1.json,party-2.json,party-3.json --evidence-key evidence.key --user Ada=KEY --secret-folder first-users --genesis genesis.json',
  ],
  run: makeGenesis,
};

async function makeGenesis(given: Given, io: Surroundings): Promise<Outcome> {
  const files = given.one('parties').split(',');
  if (files.length !== 3) throw new UsageError('--parties names three files');
  const { relyingPartyOf } = await import('../genesis/relying-party.js');
  const passkeys = relyingPartyOf(given.maybe('rp-id'), given.all('origin'));
  if (passkeys === 'not of one domain') {
    throw new UsageError('--rp-id DOMAIN --origin https://DOMAIN [--origin ...]: of that domain');
  }
  const firstUsers = given.all('user').map(parseUser);
  const creation = await import('../genesis/create-genesis.js');
  const parties = files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as PartyPublicKeys);
  const evidenceKeyIds = readEvidenceKeys(given.one('evidence-key')).ids;
  const url = databaseUrl(io);
  const folder = given.one('secret-folder');
  const genesisFile = given.maybe('genesis');
  requireNew([folder, ...(genesisFile === undefined ? [] : [genesisFile, `${genesisFile}.new`])]);
  const asked = {
    ...{ parties, evidenceKeyIds, firstUsers },
    ...(passkeys !== undefined && { passkeys }),
  };
  const keep = (made: CreatedGenesis) => keepApiKeys(folder, made);
  const created = await creation.createGenesis(url, asked, keep).catch((error: unknown) => {
    if (!(error instanceof creation.DoubtfulGenesisError)) throw error;
    throw new Error(whatToDo(error, folder), { cause: error });
  });
  const { pin, users } = created;
  if (genesisFile !== undefined) writeGenesis(genesisFile, pin, folder);
  const shown = users.map(({ userId }, at) => ({
    user_id: userId,
    display_name: firstUsers[at]!.displayName,
    api_key_file: apiKeyFile(folder, userId),
  }));
  return { value: { ...pin, users: shown } };
}

const apiKeyFile = (folder: string, userId: string) => join(folder, `${userId}.api-key`);

/** Before the genesis is in force: nobody tells them again. Where it throws it leaves nothing of its own. */
function keepApiKeys(folder: string, { users }: CreatedGenesis): void {
  try {
    for (const { userId, apiKey } of users) {
      createDurably(apiKeyFile(folder, userId), `${apiKey}\n`);
    }
  } catch (error) {
    for (const { userId } of users) rmSync(apiKeyFile(folder, userId), { force: true });
    removeIfEmpty(folder);
    throw error;
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // it is not there, or somebody else has something in it
  }
}

function whatToDo({ message, genesisHash, cause }: DoubtfulGenesisError, folder: string): string {
  return `${message}: ${wordsOf(cause)}
Run \`countersign genesis\` in a minute. If it prints the genesis_hash ${genesisHash}, the vault is made: its answer is
what processes trust, and ${folder} has the API keys. Otherwise remove ${folder}, and run \`init\` again.`;
}

/** Under its name there is never a part of it: processes wait for the file. The vault is made by then. */
function writeGenesis(path: string, pin: GenesisPin, folder: string): void {
  try {
    writeFileSync(`${path}.new`, `${JSON.stringify(pin, null, 2)}\n`, { flag: 'wx' });
    renameSync(`${path}.new`, path);
  } catch (cause) {
    const says = `the vault is made, and ${folder} has the API keys, but ${path} cannot be written`;
    throw new Error(`${says}: ${wordsOf(cause)}\nRun \`countersign genesis > ${path}\`.`, {
      cause,
    });
  }
}

function parseUser(text: string): { displayName: string; publicKey: string } {
  const at = text.lastIndexOf('=');
  const publicKey = parseBase64Url(text.slice(at + 1));
  if (at < 1 || publicKey === undefined || !isEd25519PublicKey(publicKey)) {
    throw new UsageError('--user NAME=PUBLIC_KEY (Ed25519, 32 bytes, base64url)');
  }
  return { displayName: text.slice(0, at), publicKey: toBase64(publicKey) };
}

const genesis: Command = {
  words: 'genesis',
  about: 'Print the genesis that the database holds: what processes and clients pin.',
  details: 'Reads DATABASE_URL from the environment.',
  options: [
    {
      ...EVIDENCE_KEY_OPTION,
      about: 'The evidence key file: parties that were replaced since are in it, too.',
    },
  ],
  examples: ['genesis > genesis.json', 'genesis --evidence-key evidence.key > genesis.json'],
  async run(given, io) {
    const { readGenesisPin } = await import('../genesis/read-genesis.js');
    const { withPresentParties } = await import('../genesis/present-parties.js');
    const pin = await readGenesisPin(databaseUrl(io));
    const evidenceKey = given.maybe('evidence-key');
    if (evidenceKey === undefined) return { value: pin };
    return { value: await withPresentParties(databaseUrl(io), pin, evidenceKey) };
  },
};

const evidenceKey: Command = {
  words: 'evidence-key create',
  about: 'Make an evidence key, which gateways, parties and notifiers share.',
  arguments: [{ name: 'FILE', about: 'A new file (mode 0600).' }],
  examples: ['evidence-key create /etc/countersign/evidence.key'],
  async run(given) {
    createEvidenceKeyFile(given.one('FILE'));
    return { value: { evidence_key_file: given.one('FILE') } };
  },
};

const webhookKey: Command = {
  words: 'webhook-key create',
  about: 'Make the key that events are signed with.',
  arguments: [
    { name: 'KEY_FILE', about: 'A new file (mode 0600).' },
    { name: 'PUBLIC_FILE', about: 'What receivers need.' },
  ],
  examples: ['webhook-key create webhook.key webhook-keys.json'],
  async run(given) {
    const { createWebhookKey } = await import('../webhooks/create-webhook-key.js');
    return { value: createWebhookKey(given.one('KEY_FILE'), given.one('PUBLIC_FILE')) };
  },
};

const priceKey: Command = {
  words: 'price-key create',
  about: 'Make the key that a relay of prices signs with, and print its public half.',
  arguments: [{ name: 'FILE', about: 'A new file (mode 0600).' }],
  examples: ['price-key create price.key'],
  async run(given) {
    const { createPriceKey } = await import('../prices/create-price-key.js');
    const file = given.one('FILE');
    return { value: { price_key_file: file, public_key: createPriceKey(file) } };
  },
};

const doctor: Command = {
  words: 'doctor',
  about: 'Say what is wrong with the configuration of a process, before it starts.',
  details: `Looks at variables, files, PostgreSQL and Redis. Exit code 1: something is wrong; warnings alone are 0. No value of a
variable that may be a secret is told.`,
  arguments: [{ name: 'PROCESS', about: 'Which process.', words: PROCESS_NAMES }],
  options: [
    {
      name: 'environment',
      value: 'FILE',
      about: 'Its environment file; without it, the environment of this command.',
    },
    {
      name: 'user',
      value: 'NAME',
      about: 'Who the process runs as; without it, whoever runs this command, unless that is root.',
    },
  ],
  examples: [
    'doctor gateway --environment /etc/countersign/gateway.env --user countersign-gateway',
  ],
  async run(given, io) {
    const doctors = await import('../doctor/diagnose.js');
    const account = doctors.accountOf(given.maybe('user'));
    if (account === 'unknown') {
      throw new UsageError(`--user: this host has no user ${given.one('user')}`);
    }
    const process = given.one('PROCESS') as ProcessName;
    const options = { process, file: given.maybe('environment'), account };
    const diagnosis = await doctors.diagnose(options, io.environment).catch((error: unknown) => {
      throw error instanceof doctors.UnreadableFileError ? new UsageError(error.message) : error;
    });
    const text = doctors.describeDiagnosis(diagnosis);
    return { value: diagnosis, text, code: diagnosis.faults > 0 ? 1 : 0 };
  },
};

const checkUpgradeCommand: Command = {
  words: 'upgrade check',
  about: 'Say what an upgrade of a running vault to this release will do.',
  details: `Changes nothing. Reads DATABASE_URL and REDIS_URL from the environment: a gateway's do. Tells of migrations, rules, the
versions that processes speak, snapshots that are dropped, and the order of the steps. Exit code 1: do not upgrade yet.`,
  options: [
    { ...EVIDENCE_KEY_OPTION, isRequired: true },
    {
      name: 'gateway',
      value: 'URL',
      about: 'A gateway, to ask for its version. May be repeated.',
      isList: true,
    },
    {
      name: 'pin',
      value: 'FILE',
      about: 'A pin file on this host, beside which a snapshot lies. May be repeated.',
      isList: true,
    },
  ],
  examples: ['upgrade check --evidence-key /etc/countersign/evidence.key --gateway https://vault'],
  async run(given, io) {
    const { checkUpgrade, describePlan } = await import('../upgrade/check-upgrade.js');
    const redisUrl = io.environment['REDIS_URL'];
    if (redisUrl === undefined) throw new UsageError('REDIS_URL is not set');
    const plan = await checkUpgrade({
      databaseUrl: databaseUrl(io),
      redisUrl,
      keys: readEvidenceKeys(given.one('evidence-key')),
      gateways: given.all('gateway'),
      pinFiles: given.all('pin'),
    });
    return { value: plan, text: describePlan(plan), code: plan.faults > 0 ? 1 : 0 };
  },
};

const trace: Command = {
  words: 'trace',
  about: 'Gather what log files of gateways and parties say of one request.',
  details:
    'In order of time. Files have the lines of processes, or those of `journalctl -o json`. Exit code 1: no line names the request.',
  arguments: [
    { name: 'REQUEST_ID', about: 'The request.' },
    { name: 'FILE', about: 'Log files; - reads standard input.', isList: true },
  ],
  examples: ['trace 01234567-89ab-4cde-8f01-abcdefabcdef gateway.log party-1.log party-2.json'],
  async run(given) {
    const id = given.one('REQUEST_ID').toLowerCase();
    if (!UUID_PATTERN.test(id)) throw new UsageError('REQUEST_ID is no UUID');
    const { describeTrace, traceRequest } = await import('../trace/trace-request.js');
    const value = await traceRequest(id, given.all('FILE')).catch((error: unknown) => {
      throw new UsageError(error instanceof Error ? error.message : String(error));
    });
    return { value, text: `${describeTrace(value)}\n`, code: value.lines.length > 0 ? 0 : 1 };
  },
};

const explainVenue: Command = {
  words: 'venue explain',
  about: 'Say what this release makes of a request to an exchange, offline.',
  details: 'Exit code 1: no rule could sign it.',
  arguments: [
    { name: 'VENUE', about: 'Id of the venue.' },
    {
      name: 'REQUEST',
      about:
        '`METHOD TARGET` with its body or headers behind it, or a line of curl, as one word; - reads standard input.',
    },
  ],
  examples: ["venue explain binance 'DELETE /api/v3/order?symbol=BTCUSDT&orderId=1'"],
  async run(given, io) {
    const { explainRequest } = await import('../venues/explain-request.js');
    const request = given.one('REQUEST');
    const text = request === '-' ? io.readStandardInput().toString('utf8') : request;
    const value = explainRequest(given.one('VENUE'), text);
    return { value, code: value.refused === undefined ? 0 : 1 };
  },
};

function databaseUrl({ environment }: Surroundings): string {
  const url = environment['DATABASE_URL'];
  if (url === undefined) throw new UsageError('DATABASE_URL is not set');
  return url;
}

export const INSTALL_COMMANDS = [evidenceKey, webhookKey, priceKey, migrate, init, genesis, doctor];
export const CARE_COMMANDS = [checkUpgradeCommand, trace, removeOld];
export const VENUE_COMMANDS = [explainVenue];
