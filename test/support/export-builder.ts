/** An export of the audit log of a vault in memory: a ledger, the records of its parties with receipts, anchors. */
import { randomUUID, sign } from 'node:crypto';
import { receiptView, type Receipt } from '@countersign/api/receipt.js';
import { toHex } from '@countersign/core/bytes.js';
import { sha256 } from '@countersign/core/hash.js';
import { anchorMessage, type ChainHead } from '@countersign/core/party-statements.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import {
  auditedFields,
  recordEntryView,
  type AuditedRecord,
  type AuditedSignRecord,
} from '@countersign/runtime/records/audited-record.js';
import { createRecordChain, type RecordChain } from '@countersign/runtime/records/record-chain.js';
import { encodeAnchor } from '@countersign/vault/ledger/write-entry.js';
import { ledgerEntryView } from '@countersign/vault/audit/ledger-entry-view.js';
import { createLedgerBuilder, testPrivateKey, type LedgerBuilder } from './ledger-builder.ts';
import { proveBatch } from './receipt-trees.ts';

/** A line of the export as its reader has it. */
// oxlint-disable-next-line no-explicit-any -- tests tamper with whatever is in it
export type ExportedLine = Record<string, any>;

/** Of which request, and which message: new ones unless given. */
type SignedBefore = Partial<Pick<AuditedSignRecord, 'request_id' | 'message_sha256'>>;

export interface ExportBuilder {
  readonly ledger: LedgerBuilder;
  readonly chains: ReadonlyMap<PartyNumber, RecordChain>;
  /** A signature by two parties over the head, with both records and the receipt. Returns the lead's record. */
  sign(lead?: PartyNumber, partner?: PartyNumber, like?: SignedBefore): AuditedSignRecord;
  /** A record alone, of a party or of a gateway. */
  record(record: AuditedRecord, receipt?: Receipt): void;
  contribution(partner: PartyNumber): AuditedSignRecord;
  /** The head of a party's chain, as it stands or as it is told. */
  anchor(party: PartyNumber, head?: Partial<ChainHead>, signedBy?: PartyNumber): void;
  /** In the order of the ledger, then of the records. */
  lines(): ExportedLine[];
}

export function createExportBuilder(): ExportBuilder {
  const ledger = createLedgerBuilder();
  const { keyId, rule } = prepareSigning(ledger);
  const chains = new Map(
    PARTY_NUMBERS.map((party) => [party, createRecordChain(`party_${party}-a-boot`)]),
  );
  const gateway = createRecordChain('gateway-1');
  const heads = new Map<PartyNumber, ChainHead>();
  const recorded: ExportedLine[] = [];

  const builder: ExportBuilder = {
    ledger,
    chains,
    record(record, receipt) {
      const party = PARTY_NUMBERS.find((one) => record.writer === `party_${one}`);
      const chain = party === undefined ? gateway : chains.get(party)!;
      const [link] = chain.link([auditedFields(record)]);
      chain.commit([link!]);
      if (party !== undefined) {
        heads.set(party, { chainId: chain.id, seq: link!.seq, hash: link!.hash });
      }
      recorded.push({
        ...recordEntryView(record, { chain: chain.id, ...link! }),
        record,
        ...(receipt !== undefined && { receipt: signedReceipt(ledger, receipt) }),
      });
    },
    contribution(partner) {
      return signRecord(ledger, { keyId, rule }, 'partner', [partner === 1 ? 2 : 1, partner]);
    },
    sign(lead = 1, partner = 2, like = {}) {
      const record = { ...signRecord(ledger, { keyId, rule }, 'lead', [lead, partner]), ...like };
      builder.record({
        ...record,
        writer: `party_${partner}`,
        role: 'partner',
        outcome: 'contributed',
      });
      builder.record(record, receiptOf(ledger, record, [lead, partner]));
      return record;
    },
    anchor(party, told = {}, signedBy = party) {
      const statement = { party, chains: [{ ...heads.get(party)!, ...told }] };
      const message = anchorMessage(statement, ledger.state.genesisHash);
      const signature = sign(null, message, testPrivateKey(`party ${signedBy}`));
      ledger.appendRow(encodeAnchor(ledger.now, { ...statement, signature }));
    },
    lines: () => structuredClone([...ledgerLines(ledger), ...recorded]),
  };
  return builder;
}

interface Allowed {
  readonly keyId: string;
  readonly rule: string;
}

/** A key, and a rule that allows it to be used. */
function prepareSigning(ledger: LedgerBuilder): Allowed {
  const { admin } = ledger;
  const vaultId = ledger.must(admin, 'POST', '/v1/vaults', { display_name: 'Desk' });
  const walletId = ledger.must(admin, 'POST', `/v1/vaults/${vaultId}/wallets`, {
    network_family: 'solana',
  });
  const keyId = ledger.state.wallets.rows.get(walletId)!.keyId;
  for (const party of PARTY_NUMBERS) ledger.attest(party, keyId);
  const groupId = ledger.must(admin, 'POST', '/v1/security-groups', {
    display_name: 'Signers',
    members: [{ member_id: walletId, member_type: 'wallet' }],
  });
  const policyId = ledger.must(admin, 'POST', '/v1/signing-policies', {
    display_name: 'Signing',
    security_group_id: groupId,
    rules: [
      {
        display_name: 'allow',
        when: { operations: ['raw_sign'], initiators: { user_ids: [admin.id] } },
        then: 'allow',
      },
    ],
  });
  const policy = ledger.state.signingPolicies.rows.get(policyId)!;
  return { keyId, rule: `${policyId}/v${policy.version}/${policy.rules[0]!.id}` };
}

function signRecord(
  ledger: LedgerBuilder,
  { keyId, rule }: Allowed,
  role: 'lead' | 'partner',
  [lead, partner]: readonly [PartyNumber, PartyNumber],
): AuditedSignRecord {
  const requestId = randomUUID();
  return {
    writer: `party_${role === 'lead' ? lead : partner}`,
    at: ledger.now,
    request_id: requestId,
    role,
    outcome: role === 'lead' ? 'signed' : 'contributed',
    action: 'raw-sign-with-key',
    actor: ledger.admin.id,
    key_id: keyId,
    vault_id: null,
    wallet_address: null,
    message_sha256: toHex(sha256('message', requestId)),
    policy: rule,
    ledger_seq: ledger.state.seq,
    parties: `${lead},${partner}`,
    reason: null,
  };
}

function receiptOf(
  ledger: LedgerBuilder,
  record: AuditedSignRecord,
  parties: readonly [PartyNumber, PartyNumber],
): Receipt {
  const [id = '', version = '', ruleId = ''] = record.policy!.split('/');
  return {
    requestId: record.request_id,
    keyId: record.key_id!,
    messageSha256: record.message_sha256!,
    policy: { id, version: Number(version.slice(1)), ruleId },
    ledgerSeq: record.ledger_seq,
    ledgerHash: ledger.state.headHash,
    rulesVersion: ledger.view.rules,
    parties,
    signedAt: record.at,
  };
}

/** The second of a batch. */
function signedReceipt(ledger: LedgerBuilder, receipt: Receipt) {
  const batch = [{ ...receipt, requestId: randomUUID() }, receipt].map((one) => ({
    receipt: one,
    signatureSha256: sha256('signature', one.requestId),
    answerSha256: sha256('answer', one.requestId),
  }));
  const proven = proveBatch(batch, ledger.state.genesisHash, (party, message) =>
    sign(null, message, testPrivateKey(`party ${party}`)),
  );
  return receiptView(proven[1]!);
}

function ledgerLines({ rows, outcomes }: LedgerBuilder): ExportedLine[] {
  return rows.map(({ seq, prevHash, hash, body }) => {
    const outcome = outcomes.find((one) => one.seq === seq);
    const place = { chain: 'ledger', seq, prev_hash: toHex(prevHash), hash: toHex(hash) };
    const record = { writer: 'ledger', body: Buffer.from(body).toString('base64') };
    return { ...(outcome === undefined ? place : ledgerEntryView(outcome)), record };
  });
}
