/** The audit log: listed, exported, handed on, and verified offline. */
import { closeSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { AUDIT_FORMATS, type AuditFormat } from '@countersign/api/audit-query.js';
import { operationRequest, type AnyInput } from '@countersign/client/operation-request.js';
import { readEvidenceKeys } from '@countersign/core/evidence-key.js';
import { PARTY_NUMBERS, type PartyIdentity } from '@countersign/core/parties.js';
import * as s from '@countersign/core/shapes.js';
import type { TrustedGenesis } from '../audit/check-record.js';
import {
  UsageError,
  type Command,
  type Given,
  type Outcome,
  type Surroundings,
} from '../tool/command.js';
import { apiCommand } from './api-command.js';
import { asCaller, sendOrRefused } from './caller.js';
import { GENESIS_OPTION, genesisFileOf } from './given-files.js';
import { PROFILE_OPTION } from './profile.js';

const list = apiCommand('audit list', 'list-audit-logs', {
  columns: ['time', 'actor', 'action', 'outcome', 'request_id'],
  examples: ['audit list --outcome denied --limit 20'],
});

const exportAll = apiCommand('audit export', 'export-audit-logs', {
  options: [
    {
      name: 'output',
      short: 'o',
      value: 'FILE',
      about: 'Where to; standard output when absent. The file is there once it is whole.',
    },
  ],
  examples: ['audit export -o export.jsonl', 'audit export --format csv --outcome denied'],
  perform: download,
});

async function download(input: AnyInput, given: Given, io: Surroundings): Promise<void> {
  const to = given.maybe('output');
  const part = to === undefined ? undefined : `${to}.part`;
  const file = part === undefined ? undefined : openSync(part, 'w', 0o600);
  let size = 0;
  const onBytes = (bytes: Buffer) => {
    if (file === undefined) io.writeOutput(bytes);
    else writeSync(file, bytes);
    size += bytes.length;
    io.showProgress(`${size} bytes`);
  };
  try {
    const request = { ...operationRequest('export-audit-logs', input), onBytes };
    await asCaller(given, io, (caller) => sendOrRefused(caller, request));
    if (part !== undefined) renameSync(part, to!);
  } catch (error) {
    if (part !== undefined) rmSync(part, { force: true });
    throw error;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

const verify: Command = {
  words: 'audit verify',
  about: 'Verify an export offline: chains, anchors, signatures, receipts.',
  details: 'Exit code 1: something does not hold.',
  arguments: [{ name: 'EXPORT', about: 'An export in JSON lines, without filters.' }],
  options: [
    GENESIS_OPTION,
    {
      name: 'evidence-key',
      value: 'FILE',
      about: 'The evidence key file: entries of the ledger are opened and judged again.',
    },
    {
      name: 'known-head',
      value: 'SEQ:HASH',
      about: 'A head of the ledger that you know; the export has to go on from it.',
    },
    PROFILE_OPTION,
  ],
  examples: ['audit verify export.jsonl --genesis genesis.json --evidence-key evidence.key'],
  run: verifyAudit,
};

async function verifyAudit(given: Given, io: Surroundings): Promise<Outcome> {
  const { verifyExport } = await import('../audit/verify-export.js');
  const [evidenceKey, knownHead] = [given.maybe('evidence-key'), given.maybe('known-head')];
  const report = await verifyExport(given.one('EXPORT'), {
    ...readTrustedGenesis(genesisFileOf(given, io)),
    now: Date.now(),
    evidenceKeys: evidenceKey === undefined ? undefined : readEvidenceKeys(evidenceKey),
    knownHead: knownHead === undefined ? undefined : parseHead(knownHead),
  });
  return { value: report, code: report.verified ? 0 : 1 };
}

function parseHead(text: string): { readonly seq: number; readonly hash: string } {
  const match = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text);
  if (match === null) throw new UsageError('--known-head SEQ:HASH');
  return { seq: Number(match[1]), hash: match[2]! };
}

const pinnedParty = s.object({
  party: s.literal(PARTY_NUMBERS),
  identity_public_key: s.string(),
  exchange_public_key: s.string(),
});

const pinnedGenesis = s.object({
  genesis_hash: s.string(),
  parties: s.array(pinnedParty),
  former: s.array(s.object({ ...pinnedParty.fields, until_seq: s.int() })).optional(),
});

function readTrustedGenesis(file: string): TrustedGenesis {
  const genesis = pinnedGenesis.parse(JSON.parse(readFileSync(file, 'utf8')));
  const former = (genesis.former ?? []).map((row) => ({
    ...identityOf(row),
    until: row.until_seq,
  }));
  return {
    genesisHash: genesis.genesis_hash,
    parties: [...genesis.parties.map(identityOf), ...former],
  };
}

function identityOf(row: s.OutputOf<typeof pinnedParty>): PartyIdentity {
  return {
    party: row.party,
    identityPublicKey: row.identity_public_key,
    exchangePublicKey: row.exchange_public_key,
  };
}

const follow: Command = {
  words: 'audit follow',
  about: 'Hand the audit log on to a SIEM, as it grows.',
  options: [
    { name: 'url', value: 'URL', about: 'Of a gateway.', isRequired: true },
    {
      name: 'api-key-file',
      value: 'FILE',
      about: 'Of a machine user that may `view_audit_logs`.',
      isRequired: true,
    },
    {
      name: 'position',
      value: 'FILE',
      about: 'Where to remember what was handed over.',
      isRequired: true,
    },
    {
      name: 'format',
      value: 'FORMAT',
      about: 'Of the lines; jsonl when absent.',
      words: AUDIT_FORMATS,
    },
    {
      name: 'to',
      value: 'TARGET',
      about: 'A file, tcp://HOST:PORT or tls://HOST:PORT; - (when absent) is standard output.',
    },
    {
      name: 'after',
      value: 'CHAIN:SEQ',
      about: 'Begins a chain behind this entry where the position says nothing of it.',
      isList: true,
    },
    { name: 'once', about: 'End when it has caught up.' },
  ],
  examples: [
    'audit follow --url https://vault.example.com --api-key-file api-key --position position.json --format cef --to tls://siem:6514',
  ],
  async run(given, io) {
    const { parsePositions, runFollow } = await import('../follow/run-follow.js');
    const { readSecretFile } = await import('@countersign/runtime/process/config.js');
    const start = parsePositions(given.all('after'));
    if (start === undefined) throw new UsageError('--after CHAIN:SEQ');
    const options = {
      ...{ url: given.one('url'), positionFile: given.one('position'), start },
      apiKey: readSecretFile(given.one('api-key-file')),
      format: (given.maybe('format') ?? 'jsonl') as AuditFormat,
      ...{ target: given.maybe('to') ?? '-', isOnce: given.is('once') },
    };
    await runFollow(options, (text) => io.writeNote(`countersign: ${text}\n`));
  },
};

export const AUDIT_COMMANDS: readonly Command[] = [list, exportAll, verify, follow];
