/**
 * Verifies an export of its own making and prints the time as JSON: `node audit-program.js <lines> <changes>`. Two
 * lines are a signature (a lead's record with its receipt, its partner's record); `changes` are those of the vault,
 * each with two countersignatures.
 */
import { randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyExport } from '@countersign/admin/audit/verify-export.js';
import { receiptMessage, receiptView, type Receipt } from '@countersign/api/receipt.js';
import { toHex } from '@countersign/core/bytes.js';
import { sha256 } from '@countersign/core/hash.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import {
  auditedFields,
  recordEntryView,
  type AuditedSignRecord,
} from '@countersign/runtime/records/audited-record.js';
import { createRecordChain, type RecordChain } from '@countersign/runtime/records/record-chain.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import { ledgerEntryView } from '@countersign/vault/audit/ledger-entry-view.js';
import { buildLedger, type BuiltLedger } from './bench-ledger.js';

export interface AuditMeasurement {
  readonly lines: number;
  readonly ledgerRows: number;
  readonly receipts: number;
  readonly megabytes: number;
  readonly seconds: number;
  /** Of all threads. */
  readonly cpuSeconds: number;
  readonly linesPerSecond: number;
  readonly rssMb: number;
}

async function writeExport(path: string, ledger: BuiltLedger, lines: number): Promise<VaultState> {
  const fold = createFold({ keys: ledger.keys });
  const outcomes = fold.advance(ledger.rows);
  const { state } = fold.view;
  const file = createWriteStream(path);
  const write = async (line: unknown) => {
    if (!file.write(`${JSON.stringify(line)}\n`)) await once(file, 'drain');
  };
  for (const [index, { body }] of ledger.rows.entries()) {
    const record = { writer: 'ledger', body: Buffer.from(body).toString('base64') };
    await write({ ...ledgerEntryView(outcomes[index]!), record });
  }
  const sign1 = createSigner(ledger, state);
  for (let left = lines - ledger.rows.length; left > 0; left -= 2) {
    for (const line of sign1()) await write(line);
  }
  file.end();
  await once(file, 'finish');
  return state;
}

/** Makes the two lines of one signature after the other. */
function createSigner({ parties, rows }: BuiltLedger, state: VaultState): () => unknown[] {
  const policy = state.signingPolicies.rows.first()!;
  const ruleId = policy.rules[0]!.id;
  const key = state.keys.rows.first()!;
  const chains = new Map(
    parties.map(({ party }) => [party, createRecordChain(`party_${party}-a-bench`)]),
  );
  const head = rows.at(-1)!;
  return () => {
    const requestId = randomUUID();
    const at = Date.now();
    const messageSha256 = toHex(sha256(requestId));
    const record: AuditedSignRecord = {
      writer: 'party_1',
      at,
      request_id: requestId,
      role: 'lead',
      outcome: 'signed',
      action: 'raw-sign-with-key',
      actor: key.createdBy,
      key_id: key.id,
      vault_id: null,
      wallet_address: null,
      message_sha256: messageSha256,
      policy: `${policy.id}/v${policy.version}/${ruleId}`,
      ledger_seq: head.seq,
      parties: '1,2',
      reason: null,
    };
    const receipt: Receipt = {
      requestId,
      keyId: key.id,
      messageSha256,
      policy: { id: policy.id, version: policy.version, ruleId },
      ledgerSeq: head.seq,
      ledgerHash: toHex(head.hash),
      rulesVersion: 1,
      parties: [1, 2],
      signedAt: at,
    };
    const message = receiptMessage(receipt, state.genesisHash);
    const [lead, partner] = parties.map(({ privateKey }) => sign(null, message, privateKey));
    const contributed = { writer: 'party_2', role: 'partner', outcome: 'contributed' } as const;
    return [
      { ...lineOf(chains, 1, record), receipt: receiptView(receipt, [lead!, partner!]) },
      lineOf(chains, 2, { ...record, ...contributed }),
    ];
  };
}

function lineOf(
  chains: ReadonlyMap<PartyNumber, RecordChain>,
  party: PartyNumber,
  record: AuditedSignRecord,
) {
  const chain = chains.get(party)!;
  const [link] = chain.link([auditedFields(record)]);
  chain.commit([link!]);
  return { ...recordEntryView(record, { chain: chain.id, ...link! }), record };
}

async function measure(lines: number, changes: number): Promise<AuditMeasurement> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-audit-'));
  try {
    const path = join(folder, 'export.jsonl');
    const ledger = buildLedger(changes);
    const { genesisHash, parties } = await writeExport(path, ledger, lines);
    const cpuBefore = process.cpuUsage();
    const startedAt = performance.now();
    const report = await verifyExport(path, { genesisHash, parties, evidenceKeys: ledger.keys });
    const seconds = (performance.now() - startedAt) / 1_000;
    const { user, system } = process.cpuUsage(cpuBefore);
    if (!report.verified) throw new Error(JSON.stringify(report.faults.slice(0, 3)));
    return {
      lines: report.entries + report.records,
      ledgerRows: report.entries,
      receipts: report.receipts,
      megabytes: statSync(path).size / 1e6,
      seconds,
      cpuSeconds: (user + system) / 1e6,
      linesPerSecond: (report.entries + report.records) / seconds,
      rssMb: process.memoryUsage().rss / 1e6,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.stdout.write(
  JSON.stringify(await measure(Number(process.argv[2]), Number(process.argv[3]))) + '\n',
);
