/**
 * Verifies an export of its own making and prints the time as JSON: `node audit-program.js <lines> <changes> <batch>`.
 * Two lines are a signature (a lead's record with its receipt, its partner's record); `changes` are those of the vault,
 * each with two countersignatures; `batch` signatures share the two trees of their receipts.
 */
import { NEWEST_RULES } from '@countersign/vault/ledger/rules.js';
import { randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyExport } from '@countersign/admin/audit/verify-export.js';
import {
  contributionLeaf,
  receiptView,
  signatureLeaf,
  type Receipt,
} from '@countersign/api/receipt.js';
import { plantTree } from '@countersign/api/signed-tree.js';
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
  readonly receiptsPerTree: number;
  readonly megabytes: number;
  readonly seconds: number;
  /** Of all threads. */
  readonly cpuSeconds: number;
  readonly linesPerSecond: number;
  readonly rssMb: number;
}

interface ExportSize {
  readonly lines: number;
  /** Signatures whose receipts share their trees. */
  readonly batch: number;
}

async function writeExport(
  path: string,
  ledger: BuiltLedger,
  { lines, batch }: ExportSize,
): Promise<VaultState> {
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
  const signBatch = createSigner(ledger, state);
  for (let left = lines - ledger.rows.length; left > 0; left -= 2 * batch) {
    for (const line of signBatch(Math.ceil(Math.min(batch, left / 2)))) await write(line);
  }
  file.end();
  await once(file, 'finish');
  return state;
}

interface Signed {
  readonly record: AuditedSignRecord;
  readonly receipt: Receipt;
  readonly signatureSha256: Buffer;
  readonly answerSha256: Buffer;
}

/** Makes the lines of one batch after the other, two for each signature. */
function createSigner(ledger: BuiltLedger, state: VaultState): (count: number) => unknown[] {
  const chains = new Map(
    ledger.parties.map(({ party }) => [party, createRecordChain(`party_${party}-a-bench`)]),
  );
  const contributed = { writer: 'party_2', role: 'partner', outcome: 'contributed' } as const;
  return (count) => {
    const batch = Array.from({ length: count }, () => signOne(ledger, state));
    const trees = [
      plantTree(
        1,
        batch.map((one) => signatureLeaf(one.receipt, one)),
        state.genesisHash,
      ),
      plantTree(
        2,
        batch.map(({ receipt }) => contributionLeaf(receipt)),
        state.genesisHash,
      ),
    ] as const;
    const signatures = trees.map(({ message }, index) =>
      sign(null, message, ledger.parties[index]!.privateKey),
    );
    return batch.flatMap(({ record, ...signed }, index) => {
      const [lead, partner] = trees.map((tree, at) => tree.proofOf(index, signatures[at]!));
      const receipt = receiptView({ ...signed, proofs: [lead!, partner!] });
      return [
        { ...lineOf(chains, 1, record), receipt },
        lineOf(chains, 2, { ...record, ...contributed }),
      ];
    });
  };
}

function signOne({ rows }: BuiltLedger, state: VaultState): Signed {
  const policy = state.signingPolicies.rows.first()!;
  const ruleId = policy.rules[0]!.id;
  const key = state.keys.rows.first()!;
  const head = rows.at(-1)!;
  const requestId = randomUUID();
  const messageSha256 = toHex(sha256(requestId));
  const signedAt = Date.now();
  const record: AuditedSignRecord = {
    writer: 'party_1',
    at: signedAt,
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
    rulesVersion: NEWEST_RULES,
    parties: [1, 2],
    signedAt,
  };
  const [signatureSha256, answerSha256] = [sha256('signature', requestId), sha256(requestId)];
  return { record, receipt, signatureSha256, answerSha256 };
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

async function measure(size: ExportSize, changes: number): Promise<AuditMeasurement> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-audit-'));
  try {
    const path = join(folder, 'export.jsonl');
    const ledger = buildLedger(changes);
    const { genesisHash, parties } = await writeExport(path, ledger, size);
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
      receiptsPerTree: size.batch,
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

const [lines, changes, batch] = process.argv.slice(2).map(Number);
const size = { lines: lines!, batch: batch! };
process.stdout.write(`${JSON.stringify(await measure(size, changes!))}\n`);
