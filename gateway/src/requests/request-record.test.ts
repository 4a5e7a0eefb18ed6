import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { digestOf, requestIdOf, type Evidence } from '@countersign/core/evidence.js';
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { sha256, uuidFromHash } from '@countersign/core/hash.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { deny } from '@countersign/core/denials.js';
import {
  refuseStale,
  TIMESTAMP_WINDOW_MS,
} from '@countersign/vault/authentication/authenticate.js';
import { apiKeySha256 } from '@countersign/vault/authentication/user-secrets.js';
import { encodeEvidenceEntry } from '@countersign/vault/ledger/write-entry.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import type { LoggedEntry } from '@countersign/vault/ledger/entry-types.js';
import { readEntry } from '@countersign/vault/ledger/logged-entry.js';
import { findLedgerOperation } from '@countersign/vault/operations/ledger-operations.js';
import { EMPTY_STATE, type MachineUser, type VaultState } from '@countersign/vault/state/state.js';
import { insertRow } from '@countersign/vault/state/table.js';
import { SILENT_AFTER_MS } from './obeyed-freeze.js';
import {
  findWaitingRequest,
  ledgerRequestRecord,
  waitingRequestRecord,
  type WaitingRequest,
} from './request-record.js';

const NOW = Date.UTC(2026, 10, 22, 12);
const STAMPS = { createdAt: 1, createdBy: 'genesis', lastUpdatedAt: 1, lastUpdatedBy: 'genesis' };
const keys = createEvidenceKeys([randomBytes(32)]);
const desk = generateKeyPairSync('ed25519');

const freezeSystem = findLedgerOperation('POST', '/v1/system/freeze')!.operation;
const createVault = findLedgerOperation('POST', '/v1/vaults')!.operation;

const { x } = desk.publicKey.export({ format: 'jwk' });
const caller: MachineUser = {
  ...STAMPS,
  id: uuidFromHash(sha256('desk')),
  type: 'machine',
  displayName: 'desk',
  description: null,
  userGroupIds: [],
  frozen: null,
  apiKeySha256: apiKeySha256('api key'),
  publicKey: Buffer.from(x ?? '', 'base64url').toString('base64'),
  publicKeySince: 1,
  expiresAt: null,
};

const STATE: VaultState = {
  ...EMPTY_STATE,
  seq: 5,
  users: insertRow(EMPTY_STATE.users, caller),
  evidenceKeys: [{ id: keys.ids[0], heldBy: [1, 2, 3] }],
};

function evidenceOf(change: Partial<Evidence> = {}): Evidence {
  const unsigned: Evidence = {
    method: 'POST',
    path: '/v1/vaults',
    query: '',
    body: Buffer.from('{}'),
    scheme: 'ApiKey',
    credential: 'api key',
    timestampMs: NOW,
    nonce: randomBytes(8),
    assertion: Buffer.alloc(64),
    ...change,
  };
  return { ...unsigned, assertion: sign(null, digestOf(unsigned), desk.privateKey) };
}

const idOf = (evidence: Evidence) => requestIdOf(digestOf(evidence));

function logged(evidence: Evidence, sealedWith: EvidenceKeys = keys): LoggedEntry {
  const body = encodeEvidenceEntry(NOW, evidence, sealedWith);
  const row = { seq: 6, prevHash: Buffer.alloc(32), hash: Buffer.alloc(32, 6) };
  return readEntry({ ...row, body }, keys)!;
}

describe('a request that waits for two parties', () => {
  const find = (pending: readonly LoggedEntry[], requestId: string, state = STATE) =>
    findWaitingRequest({ pending, state }, requestId);

  it('is found by its id among all that wait', () => {
    const [one, two] = [evidenceOf(), evidenceOf({ path: '/v1/system/freeze', timestampMs: 9 })];
    const pending = [logged(one), logged(two)];
    expect(find(pending, idOf(one))).toEqual({
      requestId: idOf(one),
      operation: createVault,
      createdBy: caller.id,
      signedAt: NOW,
    });
    expect(find(pending, idOf(two))).toMatchObject({ operation: freezeSystem, signedAt: 9 });
    expect(find(pending, idOf(evidenceOf()))).toBeUndefined();
    expect(find([], idOf(one))).toBeUndefined();
  });

  it('is nobody’s where the caller is unknown, did not sign it, or asks for nothing that is there', () => {
    const unknown = evidenceOf({ credential: 'another' });
    const forged = { ...evidenceOf(), assertion: Buffer.alloc(64, 1) };
    const nothing = evidenceOf({ path: '/v1/nothing' });
    for (const evidence of [unknown, forged, nothing]) {
      expect(find([logged(evidence)], idOf(evidence))).toBeUndefined();
    }
    const nobody = { ...STATE, users: EMPTY_STATE.users };
    const evidence = evidenceOf();
    expect(find([logged(evidence)], idOf(evidence), nobody)).toBeUndefined();
  });

  it('is found behind what anybody may append: words of no request, and what does not open', () => {
    const evidence = evidenceOf();
    const others = createEvidenceKeys([randomBytes(32)]);
    const elsewhere = logged(evidenceOf(), others);
    const word = { ...logged(evidence), request: undefined };
    const undeclared = { ...STATE, evidenceKeys: [] };
    const pending = [elsewhere, word, logged(evidence)];
    expect(find(pending, idOf(evidence))).toMatchObject({ createdBy: caller.id });
    expect(find(pending, idOf(evidence), undeclared)).toBeUndefined();
    const withdrawn = STATE.evidenceKeys.map((row) => ({ ...row, withdrawnBy: [1, 2] as const }));
    expect(find(pending, idOf(evidence), { ...STATE, evidenceKeys: withdrawn })).toBeUndefined();
    // the key is declared and somebody else's bytes are under it: they do not open
    const declared = [...STATE.evidenceKeys, { id: others.ids[0], heldBy: [1, 2, 3] as const }];
    const state = { ...STATE, evidenceKeys: declared };
    expect(find(pending, idOf(evidence), state)).toMatchObject({ createdBy: caller.id });
  });

  const waiting: WaitingRequest = {
    requestId: uuidFromHash(sha256('request')),
    operation: createVault,
    createdBy: caller.id,
    signedAt: NOW,
  };

  it('is undecided, however long ago it was signed: two words that were kept back may still come', () => {
    expect(waitingRequestRecord(waiting)).toEqual({
      request_id: waiting.requestId,
      operation: createVault.id,
      created_at: '2026-11-22T12:00:00.000Z',
      created_by: caller.id,
      expires_at: null,
      approvals: { required: 0, given: [] },
      status: 'processing',
      phase: 'undecided',
    });
  });
});

describe('a request that two parties judged', () => {
  const outcome: EntryOutcome = {
    seq: 6,
    hash: sha256('entry'),
    prevHash: Buffer.alloc(32),
    at: NOW,
    listedAt: NOW,
    kind: 'evidence',
    refusal: undefined,
    actorId: caller.id,
    operation: freezeSystem,
    requestId: uuidFromHash(sha256('request')),
    policy: undefined,
    subject: { resourceType: 'system', resourceIds: ['system'] },
    sealedCredential: keys.seal(Buffer.from('api key'), Buffer.alloc(0)),
    judgedBy: {
      rules: 1,
      countersignatures: [
        { party: 3, at: NOW - 5 },
        { party: 1, at: NOW },
      ],
    },
  };
  const frozen: VaultState = {
    ...STATE,
    systemFreeze: { at: NOW, by: caller.id, reason: null },
  };

  const recordOf = (
    change: Partial<EntryOutcome>,
    acknowledged: readonly (readonly [PartyNumber, number])[] = [],
    now = NOW,
  ) =>
    ledgerRequestRecord(
      { state: frozen, acknowledged: new Map(acknowledged) },
      { ...outcome, ...change },
      keys,
      { withSecret: false, now },
    );

  it('shows who countersigned it, and when, also where they refused it', () => {
    const countersignatures = [
      { party: 3, at: '2026-11-22T11:59:59.995Z' },
      { party: 1, at: '2026-11-22T12:00:00.000Z' },
    ];
    const refusal = deny('signing_policies', 'no');
    expect(recordOf({})).toMatchObject({ countersignatures });
    expect(recordOf({ refusal })).toMatchObject({ status: 'rejected', countersignatures });
    expect(recordOf({ judgedBy: undefined })).not.toHaveProperty('countersignatures');
  });

  it('has expired once two parties have voided it for its age', () => {
    const refusal = refuseStale(NOW - TIMESTAMP_WINDOW_MS - 1, NOW)!;
    const record = recordOf({ refusal });
    expect(record).toMatchObject({ status: 'expired', completed_at: '2026-11-22T12:00:00.000Z' });
    expect(record).not.toHaveProperty('error');
  });

  it('is still worked on while a freeze is not obeyed, and completed once it is', () => {
    const working = { status: 'processing', phase: 'working' };
    const both = [
      [1, 6],
      [2, 9],
    ] as const;
    expect(recordOf({})).toMatchObject(working);
    expect(recordOf({}, both)).toMatchObject(working);
    expect(recordOf({}, both)).not.toHaveProperty('result');
    expect(recordOf({}, [...both, [3, 5]])).toMatchObject(working);
    expect(recordOf({}, [...both, [3, 6]])).toMatchObject({
      status: 'completed',
      result: { status: 'frozen', ids: ['system'] },
    });
  });

  it('is completed without the word of a party that has been silent for long', () => {
    const both = [
      [1, 6],
      [3, 6],
    ] as const;
    const before = recordOf({}, both, NOW + SILENT_AFTER_MS - 1);
    expect(before).toMatchObject({ status: 'processing' });
    expect(recordOf({}, both, NOW + SILENT_AFTER_MS)).toMatchObject({ status: 'completed' });
    expect(recordOf({}, [[1, 6]], NOW + 1e12)).toMatchObject({ status: 'processing' });
  });

  it('waits for no word when it is anything else, an unfreezing too', () => {
    const unfreeze = findLedgerOperation('POST', '/v1/system/unfreeze')!.operation;
    expect(recordOf({ operation: unfreeze })).toMatchObject({ status: 'completed' });
  });

  it('that was refused is rejected, whoever obeys', () => {
    const refusal = deny('signing_policies', 'no');
    expect(recordOf({ refusal })).toMatchObject({
      status: 'rejected',
      error: { err_type: 'forbidden', err_msg: 'no' },
    });
  });
});
