/** Requests for signatures on record, written as parties and gateways write them, without anybody having signed. */
import { randomBytes } from 'node:crypto';
import { digestOf, requestIdOf, type Evidence } from '@countersign/core/evidence.js';
import { sealEvidence } from '@countersign/core/write-evidence.js';
import { readEvidenceKeys } from '@countersign/core/evidence-key.js';
import { deny } from '@countersign/core/denials.js';
import type { SignedOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import pg from 'pg';
import { createRefusalRecorder } from '../../gateway/dist/requests/refusal-recorder.js';
import { createRecordWriter } from '../../signer/dist/records/record-writer.js';
import { createProvingParties, prove } from './proven-outcomes.ts';
import type { TestVault } from './test-vault.ts';

/** The nth request: by whom and at which moment (ms), and how it came out. */
export interface PastRequest {
  readonly path: string;
  readonly body: unknown;
  readonly keyId: string;
  readonly apiKey: string;
  readonly userId: string;
  readonly at: number;
  readonly isSigned: boolean;
}

export interface HistoryRules {
  /** As a receipt names it. */
  readonly policy: { readonly id: string; readonly version: number; readonly ruleId: string };
  /** Why the others were refused. */
  readonly reason: string;
}

const AT_ONCE = 250;

/** Resolves once all are on record, in their order. */
export async function writeHistory(
  vault: TestVault,
  { policy, reason }: HistoryRules,
  requests: Iterable<PastRequest>,
): Promise<void> {
  const keys = readEvidenceKeys(vault.prepared.evidenceKeyFile);
  const { roleUrls } = vault.servers;
  const pools = [roleUrls.party_1, roleUrls.gateway].map(
    (connectionString) => new pg.Pool({ connectionString, max: 1 }),
  );
  const records = createRecordWriter(pools[0]!, 1, 'history', Date.now);
  const refusals = createRefusalRecorder(pools[1]!, 'history');
  const outcomeOf = createOutcomes(policy);
  let writing: Promise<unknown>[] = [];
  for (const request of requests) {
    const { path, at, userId: actorId, keyId } = request;
    const evidence = evidenceOf(request);
    const requestId = requestIdOf(digestOf(evidence));
    const sealed = sealEvidence(evidence, keys);
    const action = path.endsWith('/raw-sign') ? 'raw-sign-with-key' : 'sign-with-key';
    const { outcome } = outcomeOf(requestId, keyId, at);
    writing.push(
      request.isSigned
        ? records.write([
            {
              record: {
                ...{ at, requestId, action, actorId, keyId, role: 'lead', outcome: 'signed' },
                ...{ vaultId: null, walletAddress: null, ledgerSeq: 1, parties: '1,2' },
                messageSha256: randomBytes(32),
                policy: `${policy.id}/v${policy.version}/${policy.ruleId}`,
                reason: null,
              },
              askedAt: at,
              result: { receivedAt: at, outcome, evidence: sealed },
            },
          ])
        : refusals.record({
            ...{ at, action, actorId, requestId, keyId },
            refusal: deny('signing_policies', reason),
            evidence: sealed,
          }),
    );
    if (writing.length < AT_ONCE) continue;
    await Promise.all(writing);
    writing = [];
  }
  await Promise.all(writing);
  await Promise.all(pools.map((pool) => pool.end()));
}

function evidenceOf({ path, body, apiKey, at }: PastRequest): Evidence {
  return {
    method: 'POST',
    path,
    query: '',
    body: Buffer.from(JSON.stringify(body)),
    scheme: 'ApiKey',
    credential: apiKey,
    timestampMs: at,
    nonce: randomBytes(8),
    assertion: randomBytes(64),
  };
}

/** Of parties that are none of the vault's: who tries drafts asks nobody for a signature. */
function createOutcomes(policy: HistoryRules['policy']) {
  const vault = createProvingParties();
  const template = prove<SignedOutcome>(
    {
      outcome: 'signed',
      submission: '0a'.repeat(16),
      signature: randomBytes(64),
      details: new Uint8Array(),
      receipt: {
        requestId: '',
        keyId: '',
        messageSha256: '00'.repeat(32),
        policy,
        ledgerSeq: 1,
        ledgerHash: '00'.repeat(32),
        rulesVersion: 1,
        parties: [1, 2],
        signedAt: 0,
      },
    },
    vault,
  );
  return (requestId: string, keyId: string, signedAt: number) => ({
    outcome: { ...template, receipt: { ...template.receipt, requestId, keyId, signedAt } },
  });
}
