/** Requests for signatures with one key, as a gateway meets them, and the outcomes that its parties would give. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { digestOf, requestIdOf, type Evidence } from '@countersign/core/evidence.js';
import { sealEvidence } from '@countersign/core/write-evidence.js';
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { sha256, uuidFromHash } from '@countersign/core/hash.js';
import type { SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import { encodeOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import type { RecordedOutcome, SignedOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { apiKeySha256 } from '@countersign/vault/authentication/user-secrets.js';
import {
  EMPTY_STATE,
  type Key,
  type MachineUser,
  type VaultState,
} from '@countersign/vault/state/state.js';
import { insertRow } from '@countersign/vault/state/table.js';
import {
  createProvingParties,
  prove,
  rawPublicKey,
  type ProvingParties,
  type Signers,
} from './proven-outcomes.ts';

const idOf = (name: string) => uuidFromHash(sha256(name));
const stamps = { createdAt: 1, createdBy: 'genesis', lastUpdatedAt: 1, lastUpdatedBy: 'genesis' };

export interface SceneRequest {
  readonly requestId: string;
  readonly submission: string;
  readonly message: Buffer;
  readonly evidence: Evidence;
  readonly item: SignItem;
}

/** What a test has otherwise than the parties would. */
export interface OutcomeChanges {
  readonly parties?: Signers;
  /** Who signs in their place. */
  readonly signers?: Signers;
  readonly submission?: string;
  readonly signature?: Uint8Array;
  readonly signedAt?: number;
  readonly receipt?: Partial<SignedOutcome['receipt']>;
  readonly details?: Uint8Array;
}

/** A row of `request_result` as PostgreSQL gives it to whoever checks it. */
export interface SceneRow {
  readonly request_id: string;
  readonly lead: PartyNumber;
  readonly created_by: string;
  readonly received_ms: string;
  readonly completed_ms: string;
  readonly payload: Buffer | null;
  readonly evidence: Buffer | null;
}

export interface SigningScene {
  readonly vault: ProvingParties;
  readonly keys: EvidenceKeys;
  readonly caller: MachineUser;
  readonly key: Key;
  readonly state: VaultState;
  request(now?: number): SceneRequest;
  signed(request: SceneRequest, changes?: OutcomeChanges): SignedOutcome;
  row(request: SceneRequest, outcome: RecordedOutcome, changes?: Partial<SceneRow>): SceneRow;
}

export function createSigningScene(): SigningScene {
  const vault = createProvingParties();
  const keys = createEvidenceKeys([randomBytes(32)]);
  const pair = generateKeyPairSync('ed25519');
  const key = keyOf(rawPublicKey(pair.publicKey).toString('base64'));
  const credential = randomBytes(16).toString('hex');
  const caller = callerOf(credential);
  const state: VaultState = {
    ...EMPTY_STATE,
    seq: 9,
    genesisHash: vault.genesisHash,
    parties: vault.parties as VaultState['parties'],
    keys: insertRow(EMPTY_STATE.keys, key),
    users: insertRow(EMPTY_STATE.users, caller),
  };

  function request(now = Date.now()): SceneRequest {
    const message = randomBytes(32);
    const evidence = evidenceOf(key, message, credential, now);
    const submission = randomBytes(16).toString('hex');
    return {
      requestId: requestIdOf(digestOf(evidence)),
      submission,
      message,
      evidence,
      item: { submission, receivedAt: now, nonce: 0n, evidence },
    };
  }

  function signed(of: SceneRequest, changes: OutcomeChanges = {}): SignedOutcome {
    const parties = changes.parties ?? [1, 2];
    return prove<SignedOutcome>(
      {
        outcome: 'signed',
        submission: changes.submission ?? of.submission,
        signature: changes.signature ?? sign(null, of.message, pair.privateKey),
        details: changes.details ?? new Uint8Array(),
        receipt: {
          requestId: of.requestId,
          keyId: key.id,
          messageSha256: sha256(of.message).toString('hex'),
          policy: { id: idOf('policy'), version: 2, ruleId: idOf('rule') },
          ledgerSeq: 9,
          ledgerHash: sha256('the head').toString('hex'),
          rulesVersion: 1,
          parties,
          signedAt: changes.signedAt ?? of.item.receivedAt,
          ...changes.receipt,
        },
      },
      vault,
      changes.signers,
    );
  }

  function row(of: SceneRequest, outcome: RecordedOutcome, changes: Partial<SceneRow> = {}) {
    return {
      request_id: of.requestId,
      lead: (outcome.outcome === 'signed' ? outcome.receipt.parties : outcome.parties)[0],
      created_by: caller.id,
      received_ms: String(of.item.receivedAt),
      completed_ms: String(of.item.receivedAt + 100),
      payload: encodeOutcome(outcome),
      evidence: sealEvidence(of.evidence, keys),
      ...changes,
    };
  }

  return { vault, keys, caller, key, state, request, signed, row };
}

function evidenceOf(key: Key, message: Buffer, credential: string, now: number): Evidence {
  const body = { message: message.toString('hex'), message_encoding: 'hex' };
  return {
    method: 'POST',
    path: `/v1/keys/${key.id}/raw-sign`,
    query: '',
    body: Buffer.from(JSON.stringify(body)),
    scheme: 'ApiKey',
    credential,
    timestampMs: now,
    nonce: randomBytes(8),
    assertion: randomBytes(64),
  };
}

function callerOf(credential: string): MachineUser {
  return {
    id: idOf('caller'),
    type: 'machine',
    displayName: 'caller',
    description: null,
    userGroupIds: [],
    frozen: null,
    apiKeySha256: apiKeySha256(credential),
    publicKey: 'AAAA',
    publicKeySince: 1,
    expiresAt: null,
    ...stamps,
  };
}

function keyOf(publicKey: string): Key {
  return {
    id: idOf('key'),
    displayName: 'Key',
    description: null,
    type: 'ed25519',
    scheme: 'ed25519',
    custody: 'mpc',
    modulusBits: null,
    encoding: null,
    venueId: null,
    venueApiKey: null,
    labels: {},
    status: 'active',
    failure: null,
    frozen: null,
    version: 1,
    publicKey,
    session: '',
    attestations: [],
    sealedParts: [],
    walletId: null,
    ...stamps,
  };
}
