/**
 * `countersign`: what an operator runs beside the service.
 *
 *   countersign migrate                              (DATABASE_URL: the owner's)
 *   countersign remove-old-requests --older-than DAYS [--dry-run]
 *                                                    (DATABASE_URL: the owner's) takes away accepted requests, results and idempotency keys
 *   countersign evidence-key FILE                    makes a new evidence key file (mode 0600)
 *   countersign webhook-key KEY_FILE PUBLIC_FILE     makes the key that events are signed with, and what receivers need
 *   countersign price-key KEY_FILE                   makes the key that a relay of prices signs with, and prints its public half
 *   countersign init --parties a.json,b.json,c.json --evidence-key FILE --user NAME=PUBLIC_KEY [--user ...] [--rp-id DOMAIN --origin URL ...]
 *                    [--genesis FILE]               also writes what every process is to trust (GENESIS_FILE)
 *   countersign doctor PROCESS [--environment FILE] [--user NAME] [--json]
 *                                                    what is wrong with the configuration of a gateway, party, notifier, prices or migrate
 *   countersign genesis                              prints the pin of the genesis that the database holds
 *   countersign receipt verify RECEIPT.json --genesis GENESIS.json [--message FILE] [--signature FILE] [--public-key FILE]
 *   countersign request show RECORD.json [--verify] [--venue ID]
 *                                                    what waits for approval (an answer of GET /v1/requests/{request_id},
 *                                                    "-" for standard input), and the digest to approve, computed from it
 *   countersign policy backtest FILE --url URL --api-key-file FILE --private-key-file FILE
 *                                                    what a draft of signing policies (the body of POST /v1/signing-policies/backtest,
 *                                                    "-" for standard input) would have changed: a line for each request, then totals
 *   countersign audit verify EXPORT.jsonl --genesis GENESIS.json [--evidence-key FILE] [--known-head SEQ:HASH]
 *   countersign audit follow --url URL --api-key-file FILE --position FILE [--format jsonl|csv|rfc5424|cef]
 *                    [--to -|FILE|tcp://HOST:PORT|tls://HOST:PORT] [--after CHAIN:SEQ ...] [--once]
 *   countersign trace REQUEST_ID FILE... [--json]    what log files of gateways and parties say of one request, in order of time: their own
 *                                                    lines, or those of `journalctl -o json` ("-" for standard input)
 *   countersign venue explain VENUE REQUEST          what this release makes of a request, offline: `METHOD TARGET` with its body or headers
 *                                                    behind it, or a line of curl ("-" for standard input)
 *
 * Exit codes: 0 good, 1 a local error, a request that no log names, or a request that no rule could have signed, a receipt, an export or a request's digest that does not hold, 2 wrong usage, or a receipt that
 * could not be checked, a log that cannot be read, or an error of the service.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseBase64Url, toBase64 } from '@countersign/core/bytes.js';
import { runBacktest } from '@countersign/client/backtest-command.js';
import { runReceiptVerify } from '@countersign/client/receipt-command.js';
import { createEvidenceKeyFile, readEvidenceKeys } from '@countersign/core/evidence-key.js';
import { isEd25519PublicKey } from '@countersign/core/ed25519.js';
import type { PartyIdentity, PartyNumber } from '@countersign/core/parties.js';
import { z } from 'zod';
import { migrate } from './database/migrate.js';
import { MIN_DAYS, removeOldRequests } from './database/remove-old-requests.js';
import { parseDoctorOptions, runDoctor, UnreadableFileError } from './doctor/doctor-command.js';
import { createPriceKey } from './prices/create-price-key.js';
import { explainRequest } from './venues/explain-request.js';
import { createWebhookKey } from './webhooks/create-webhook-key.js';
import { verifyExport } from './audit/verify-export.js';
import { parseTraceOptions, runTrace } from './trace/trace-command.js';
import { parseFollowOptions, runFollow } from './follow/follow-command.js';
import type { TrustedGenesis } from './audit/check-record.js';
import { showRequest } from './requests/show-request.js';
import { createGenesis, type PartyPublicKeys } from './genesis/create-genesis.js';
import { withPresentParties } from './genesis/present-parties.js';
import { readGenesisPin } from './genesis/read-genesis.js';
import { relyingPartyOf } from './genesis/relying-party.js';

class UsageError extends Error {}

const pinnedParty = z.object({
  party: z.literal([1, 2, 3]),
  identity_public_key: z.string(),
  exchange_public_key: z.string(),
});

const pinnedGenesis = z.object({
  genesis_hash: z.string(),
  parties: z.array(pinnedParty),
  former: z.array(pinnedParty.extend({ until_seq: z.int() })).default([]),
});

async function run(args: readonly string[]): Promise<void> {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      parties: { type: 'string' },
      user: { type: 'string', multiple: true },
      genesis: { type: 'string' },
      'rp-id': { type: 'string' },
      origin: { type: 'string', multiple: true },
      'evidence-key': { type: 'string' },
      'known-head': { type: 'string' },
      verify: { type: 'boolean' },
      venue: { type: 'string' },
      'older-than': { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
    },
  });
  switch (positionals.slice(0, 2).join(' ')) {
    case 'migrate':
      return print({ migrations: await migrate(databaseUrl()) });
    case 'remove-old-requests':
      return removeOld(values);
    case 'init':
      return init(values);
    case 'genesis':
      return printGenesis(values['evidence-key']);
    case `evidence-key ${positionals[1] ?? ''}`:
      return makeEvidenceKey(positionals[1]);
    case `webhook-key ${positionals[1] ?? ''}`:
      return makeWebhookKey(positionals[1], positionals[2]);
    case `price-key ${positionals[1] ?? ''}`:
      return makePriceKey(positionals[1]);
    case 'request show':
      return printRequest(positionals[2], values);
    case 'venue explain':
      return explainVenueRequest(positionals[2], positionals[3]);
    case 'audit verify':
      return verifyAudit(positionals[2], values);
    default:
      throw new UsageError(
        'commands: doctor, migrate, remove-old-requests, init, evidence-key, webhook-key, price-key, genesis, receipt verify, request show, policy backtest, audit verify, audit follow, trace, venue explain',
      );
  }
}

async function removeOld({
  'older-than': days = '',
  'dry-run': dryRun,
}: {
  readonly 'older-than'?: string | undefined;
  readonly 'dry-run': boolean;
}): Promise<void> {
  const olderThanDays = Number(days);
  if (days === '' || !Number.isInteger(olderThanDays) || olderThanDays < MIN_DAYS) {
    throw new UsageError(`remove-old-requests --older-than DAYS [--dry-run] (${MIN_DAYS} or more)`);
  }
  const options = { olderThanDays, dryRun, now: Date.now() };
  const rows = await removeOldRequests(databaseUrl(), options);
  print({ older_than_days: olderThanDays, dry_run: dryRun, rows });
}

interface InitOptions {
  readonly parties?: string | undefined;
  readonly 'evidence-key'?: string | undefined;
  readonly user?: readonly string[] | undefined;
  readonly genesis?: string | undefined;
  readonly 'rp-id'?: string | undefined;
  readonly origin?: readonly string[] | undefined;
}

async function init({
  parties,
  'evidence-key': evidenceKeyFile,
  user: users = [],
  genesis: genesisFile,
  'rp-id': rpId,
  origin: origins = [],
}: InitOptions): Promise<void> {
  const files = parties?.split(',') ?? [];
  if (files.length !== 3 || evidenceKeyFile === undefined || users.length === 0) {
    throw new UsageError(
      'init --parties a.json,b.json,c.json --evidence-key FILE --user NAME=PUBLIC_KEY [--rp-id DOMAIN --origin URL ...]',
    );
  }
  const passkeys = relyingPartyOf(rpId, origins);
  if (passkeys === 'not of one domain') {
    throw new UsageError('--rp-id DOMAIN --origin https://DOMAIN [--origin ...]: of that domain');
  }
  const created = await createGenesis(databaseUrl(), {
    parties: files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as PartyPublicKeys),
    evidenceKeyIds: readEvidenceKeys(evidenceKeyFile).ids,
    firstUsers: users.map(parseUser),
    ...(passkeys !== undefined && { passkeys }),
  });
  if (genesisFile !== undefined) writeWhole(genesisFile, created.pin);
  print({
    ...created.pin,
    users: created.users.map(({ userId, apiKey }) => ({ user_id: userId, api_key: apiKey })),
  });
}

/** Under its name there is never a part of it: processes wait for the file. */
function writeWhole(path: string, value: unknown): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(value, null, 2)}\n`, { flag: 'wx' });
  renameSync(`${path}.new`, path);
}

function parseUser(text: string): { displayName: string; publicKey: string } {
  const at = text.lastIndexOf('=');
  const publicKey = parseBase64Url(text.slice(at + 1));
  if (at < 1 || publicKey === undefined || !isEd25519PublicKey(publicKey)) {
    throw new UsageError('--user NAME=PUBLIC_KEY (Ed25519, 32 bytes, base64url)');
  }
  return { displayName: text.slice(0, at), publicKey: toBase64(publicKey) };
}

function makeEvidenceKey(file: string | undefined): void {
  if (file === undefined) throw new UsageError('evidence-key FILE');
  createEvidenceKeyFile(file);
  print({ evidence_key_file: file });
}

function makeWebhookKey(keyFile: string | undefined, publicFile: string | undefined): void {
  if (keyFile === undefined || publicFile === undefined) {
    throw new UsageError('webhook-key KEY_FILE PUBLIC_FILE');
  }
  print(createWebhookKey(keyFile, publicFile));
}

function makePriceKey(keyFile: string | undefined): void {
  if (keyFile === undefined) throw new UsageError('price-key KEY_FILE');
  print({ price_key_file: keyFile, public_key: createPriceKey(keyFile) });
}

async function printGenesis(evidenceKeyFile: string | undefined): Promise<void> {
  const pin = await readGenesisPin(databaseUrl());
  print(
    evidenceKeyFile === undefined
      ? pin
      : await withPresentParties(databaseUrl(), pin, evidenceKeyFile),
  );
}

function printRequest(
  file: string | undefined,
  { verify, venue }: { readonly verify?: boolean | undefined; readonly venue?: string | undefined },
): void {
  if (file === undefined) throw new UsageError('request show RECORD.json [--verify] [--venue ID]');
  const shown = showRequest(readFileSync(file === '-' ? 0 : file, 'utf8'), venue);
  print(shown);
  if (verify === true && shown.record_differs_in.length > 0) process.exitCode = 1;
}

function explainVenueRequest(venueId: string | undefined, request: string | undefined): void {
  if (venueId === undefined || request === undefined) {
    throw new UsageError('venue explain VENUE REQUEST (one word, or - for standard input)');
  }
  const explained = explainRequest(venueId, request === '-' ? readFileSync(0, 'utf8') : request);
  print(explained);
  if (explained.refused !== undefined) process.exitCode = 1;
}

const SURROUNDINGS = {
  readStandardInput: () => readFileSync(0),
  writeOutput: (text: string) => process.stdout.write(text),
  writeNote: (text: string) => process.stderr.write(text),
};

/** It has options of its own. */
async function doctor(args: readonly string[]): Promise<void> {
  const options = parseDoctorOptions(args);
  if (typeof options === 'string') throw new UsageError(options);
  try {
    process.exitCode = await runDoctor(options, process.env, SURROUNDINGS.writeOutput);
  } catch (error) {
    throw error instanceof UnreadableFileError ? new UsageError(error.message) : error;
  }
}

/** It has options of its own. */
async function followAudit(args: readonly string[]): Promise<void> {
  const options = parseFollowOptions(args);
  if (options === undefined) {
    throw new UsageError('audit follow --url URL --api-key-file FILE --position FILE [--format F]');
  }
  await runFollow(options, (text) => process.stderr.write(`countersign: ${text}\n`));
}

/** A file that cannot be read is a wrong argument: 1 says that no line names the request. */
async function trace(args: readonly string[]): Promise<void> {
  const options = parseTraceOptions(args);
  if (options === undefined) throw new UsageError('trace REQUEST_ID FILE... [--json]');
  process.exitCode = await runTrace(options, SURROUNDINGS.writeOutput).catch((error: unknown) => {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  });
}

async function verifyAudit(
  exportFile: string | undefined,
  files: { readonly [Name in 'genesis' | 'evidence-key' | 'known-head']?: string | undefined },
): Promise<void> {
  const { genesis, 'evidence-key': evidenceKey, 'known-head': knownHead } = files;
  if (exportFile === undefined || genesis === undefined) {
    throw new UsageError('audit verify EXPORT.jsonl --genesis GENESIS.json [--evidence-key FILE]');
  }
  const report = await verifyExport(exportFile, {
    ...readPinnedGenesis(genesis),
    evidenceKeys: evidenceKey === undefined ? undefined : readEvidenceKeys(evidenceKey),
    knownHead: knownHead === undefined ? undefined : parseHead(knownHead),
  });
  print(report);
  if (!report.verified) process.exitCode = 1;
}

function parseHead(text: string): { readonly seq: number; readonly hash: string } {
  const match = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text);
  if (match === null) throw new UsageError('--known-head SEQ:HASH');
  return { seq: Number(match[1]), hash: match[2]! };
}

function readPinnedGenesis(file: string): TrustedGenesis {
  const genesis = pinnedGenesis.parse(JSON.parse(readFileSync(file, 'utf8')));
  const former = genesis.former.map((row) => ({ ...identityOf(row), until: row.until_seq }));
  return {
    genesisHash: genesis.genesis_hash,
    parties: [...genesis.parties.map(identityOf), ...former],
  };
}

function identityOf(row: z.output<typeof pinnedParty>): PartyIdentity {
  return {
    party: row.party satisfies PartyNumber,
    identityPublicKey: row.identity_public_key,
    exchangePublicKey: row.exchange_public_key,
  };
}

function databaseUrl(): string {
  const url = process.env['DATABASE_URL'];
  if (url === undefined) throw new UsageError('DATABASE_URL is not set');
  return url;
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

try {
  const [first, second, ...rest] = process.argv.slice(2);
  if (first === 'receipt' && second === 'verify') {
    process.exitCode = runReceiptVerify(rest, process.env['GENESIS_FILE'], SURROUNDINGS);
  } else if (first === 'policy' && second === 'backtest') {
    process.exitCode = await runBacktest(rest, SURROUNDINGS);
  } else if (first === 'audit' && second === 'follow') await followAudit(rest);
  else if (first === 'doctor') await doctor(process.argv.slice(3));
  else if (first === 'trace') await trace(process.argv.slice(3));
  else await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`countersign: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(error instanceof UsageError ? 2 : 1);
}
