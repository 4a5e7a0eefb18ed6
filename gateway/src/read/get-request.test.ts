import { NO_PRICE_FEED } from '@countersign/runtime/prices/price-feed.js';
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { isRefusal, refuse } from '@countersign/core/errors.js';
import { digestOf, requestIdOf, type Evidence } from '@countersign/core/evidence.js';
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import { sha256, uuidFromHash } from '@countersign/core/hash.js';
import type { KeyProgress } from '@countersign/runtime/jobs/key-progress.js';
import {
  sealSigningDetails,
  type RecordedOutcome,
  type SignedOutcome,
} from '@countersign/runtime/jobs/sign-outcome.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { apiKeySha256 } from '@countersign/vault/authentication/user-secrets.js';
import { encodeEvidenceEntry } from '@countersign/vault/ledger/write-entry.js';
import type { LoggedEntry } from '@countersign/vault/ledger/entry-types.js';
import { readEntry } from '@countersign/vault/ledger/logged-entry.js';
import type { LedgerView } from '@countersign/vault/ledger/fold.js';
import {
  EMPTY_STATE,
  type AdminPolicy,
  type Key,
  type MachineUser,
  type VaultState,
} from '@countersign/vault/state/state.js';
import { deleteRow, insertRow } from '@countersign/vault/state/table.js';
import { addressOf } from '@countersign/chains/addresses.js';
import { createUser } from '@countersign/vault/operations/users.js';
import { generateKey } from '@countersign/vault/operations/keys.js';
import { importKey } from '@countersign/vault/operations/import-key.js';
import type pg from 'pg';
import { createProvingParties, denied, prove } from '../../../test/support/proven-outcomes.js';
import { createJournal } from '../govern/journal.js';
import { askedBefore, type AskedRequest } from '../requests/asked-request.js';
import type { CheckedResult } from '../requests/checked-results.js';
import type { RequestRecord } from '../requests/request-record.js';
import { createCursors } from './cursor.js';
import { getRequest } from './get-request.js';
import { EXAMPLE_FIGURES } from '../../../test/support/example-figures.ts';

const idOf = (name: string) => uuidFromHash(sha256(name));
const stamps = { createdAt: 1, createdBy: 'genesis', lastUpdatedAt: 1, lastUpdatedBy: 'genesis' };
const keys = createEvidenceKeys([Buffer.alloc(32, 3)]);
const requestId = idOf('request');

function machine(name: string): MachineUser {
  return {
    id: idOf(name),
    type: 'machine',
    displayName: name,
    description: null,
    userGroupIds: [],
    frozen: null,
    apiKeySha256: sha256(name).toString('hex'),
    publicKey: 'AAAA',
    publicKeySince: 1,
    expiresAt: null,
    ...stamps,
  };
}

const [alice, bob, viewer] = [machine('alice'), machine('bob'), machine('viewer')];

const viewerPolicy: AdminPolicy = {
  id: idOf('policy'),
  displayName: 'Viewers',
  action: 'view_system_resources',
  effect: 'allow',
  subjects: { userIds: [viewer.id], userGroupIds: [] },
  scopeVaultIds: null,
  version: 1,
  ...stamps,
};

const baseState: VaultState = {
  ...EMPTY_STATE,
  users: [alice, bob, viewer].reduce((table, user) => insertRow(table, user), EMPTY_STATE.users),
  adminPolicies: insertRow(EMPTY_STATE.adminPolicies, viewerPolicy),
};

const sealedCredential = keys.seal(Buffer.from('credential'), Buffer.alloc(0));

function outcome(fields: Partial<EntryOutcome>): EntryOutcome {
  return {
    seq: 2,
    hash: sha256('entry'),
    prevHash: Buffer.alloc(32),
    at: 1_000,
    listedAt: 1_000,
    kind: 'evidence',
    refusal: undefined,
    actorId: alice.id,
    operation: createUser,
    requestId,
    policy: undefined,
    subject: { resourceType: 'user', resourceIds: [bob.id] },
    sealedCredential,
    judgedBy: undefined,
    ...fields,
  };
}

/** What one signing request left in the store: that it was accepted, its result, or both. */
interface StoredRequest {
  readonly accepted?: Readonly<Record<string, unknown>>;
  readonly result?: (state: VaultState) => CheckedResult;
  readonly refused?: Readonly<Record<string, unknown>>;
}

/** A store of one signing request at most, and of the secrets that were shown. */
function storeOf({ accepted, result, refused }: StoredRequest = {}) {
  const revealed = new Set<unknown>();
  const query = async (text: string, [id]: unknown[]) => {
    if (text.includes('FROM refused_request')) {
      return { rows: refused === undefined ? [] : [refused] };
    }
    if (!text.startsWith('INSERT INTO secret_reveal')) {
      return { rows: accepted === undefined ? [] : [accepted] };
    }
    const isNew = !revealed.has(id);
    revealed.add(id);
    return { rows: [], rowCount: isNew ? 1 : 0 };
  };
  return { pool: { query } as unknown as pg.Pool, revealed, result };
}

function reader(
  state: VaultState,
  outcomes: readonly EntryOutcome[],
  { pool, result }: Pick<ReturnType<typeof storeOf>, 'pool' | 'result'> = storeOf(),
  progress: ReadonlyMap<string, KeyProgress> = new Map(),
  pending: readonly LoggedEntry[] = [],
) {
  const journal = createJournal();
  journal.append(outcomes);
  const view = {
    state,
    optimistic: state,
    pending,
    acknowledged: new Map(),
  } as unknown as LedgerView;
  return async (caller: MachineUser, id = requestId, now = 2_000) => {
    const answer = await getRequest.handle(
      {
        state,
        view,
        caller,
        now,
        journal,
        cursors: createCursors(Buffer.alloc(32)),
        pool,
        results: { find: async () => result?.(state), findAll: async () => new Map() },
        evidenceKeys: keys,
        keyProgress: async (keyId) => progress.get(keyId),
        figures: EXAMPLE_FIGURES,
        prices: NO_PRICE_FEED,
        isGone: () => false,
      },
      { params: { request_id: id }, query: {}, body: {} },
    );
    return isRefusal(answer) ? answer : (answer as RequestRecord);
  };
}

const publicKey = Buffer.from('GX9rI+FshTLGq8g4+s1eqm0SRDkXVQO1PYFjA2FZ5Ro=', 'base64');
const key: Key = {
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
  publicKey: publicKey.toString('base64'),
  session: '',
  attestations: [],
  sealedParts: [],
  walletId: null,
  ...stamps,
};

const pendingKey: Key = { ...key, id: 'k', status: 'generating', publicKey: '' };

const withKey = (row: Key) => ({ ...baseState, keys: insertRow(baseState.keys, row) });

const NOT_FOUND = { refused: 'resource_not_found' };

describe('a request that the ledger holds', () => {
  test('shows its secret to its creator, once', async () => {
    const read = reader(baseState, [outcome({})]);
    expect(await read(alice)).toMatchObject({
      request_id: requestId,
      operation: 'create-user',
      status: 'completed',
      created_at: '1970-01-01T00:00:01.000Z',
      expires_at: null,
      approvals: { required: 0, given: [] },
      result: {
        id: bob.id,
        api_key: uuidFromHash(keys.derive(sealedCredential, 'api key', sha256('entry'))),
      },
    });
    const second = (await read(alice)) as RequestRecord;
    expect(second.result).toMatchObject({ id: bob.id });
    expect(second.result).not.toHaveProperty('api_key');
  });

  test('shows others no result, and does not use up the one showing', async () => {
    const store = storeOf();
    const read = reader(baseState, [outcome({})], store);
    const seen = (await read(viewer)) as RequestRecord;
    expect(seen).toMatchObject({ status: 'completed' });
    expect(seen).not.toHaveProperty('result');
    expect(store.revealed.size).toBe(0);
  });

  test('is 404 for callers who may not see it, and for ids that are none', async () => {
    const read = reader(baseState, [outcome({})]);
    expect(await read(bob)).toMatchObject(NOT_FOUND);
    expect(await read(alice, idOf('another'))).toMatchObject(NOT_FOUND);
    expect(await read(alice, "x'; --")).toMatchObject(NOT_FOUND);
  });

  test('is 404 when nobody known made it', async () => {
    const refusal = refuse('unauthorized', 'no');
    const read = reader(baseState, [outcome({ refusal, actorId: undefined })]);
    expect(await read(viewer)).toMatchObject(NOT_FOUND);
  });

  test('is rejected with the reason when the fold refused it', async () => {
    const refusal = refuse('resource_conflict', 'the email is taken');
    const read = reader(baseState, [outcome({ refusal, subject: undefined })]);
    const record = await read(alice);
    expect(record).toMatchObject({
      status: 'rejected',
      error: { err_type: 'resource_conflict', err_msg: 'the email is taken' },
    });
    expect(record).not.toHaveProperty('result');
  });

  test('is processing while its key is generated', async () => {
    const subject = { resourceType: 'key', resourceIds: ['k'], keyIds: ['k'] };
    const state = withKey(pendingKey);
    const read = reader(state, [outcome({ operation: generateKey, subject })]);
    const record = await read(alice);
    expect(record).toMatchObject({ status: 'processing', phase: 'working' });
    expect(record).not.toHaveProperty('progress');
  });

  test('tells how far the generation of its key has come, where a party says', async () => {
    const subject = { resourceType: 'key', resourceIds: ['k'], keyIds: ['k'] };
    const state = withKey(pendingKey);
    const entry = outcome({ operation: generateKey, subject });
    const progress = new Map([
      ['k', { tried: 12, expected: 40 }],
      ['another key', { tried: 1, expected: 2 }],
    ]);
    expect(await reader(state, [entry], storeOf(), progress)(alice)).toMatchObject({
      status: 'processing',
      progress: { candidates_tried: 12, candidates_expected: 40 },
    });
  });

  test("tells nothing of a key's progress once the key is complete, nor to strangers", async () => {
    const subject = { resourceType: 'key', resourceIds: ['k'], keyIds: ['k'] };
    const entry = outcome({ operation: generateKey, subject });
    const progress = new Map([['k', { tried: 12, expected: 40 }]]);
    const done = await reader(baseState, [entry], storeOf(), progress)(alice);
    expect(done).not.toHaveProperty('progress');
    const pending = withKey(pendingKey);
    expect(await reader(pending, [entry], storeOf(), progress)(bob)).toMatchObject(NOT_FOUND);
  });

  test('has failed, with the reason, when a party said that its key will never be', async () => {
    const subject = { resourceType: 'key', resourceIds: [key.id], keyIds: [key.id] };
    const failed = { ...key, status: 'failed', failure: 'party 2: no', publicKey: '' } as const;
    const record = await reader(withKey(failed), [outcome({ operation: importKey, subject })])(
      alice,
    );
    expect(record).toMatchObject({
      status: 'failed',
      operation: 'import-key',
      error: { err_type: 'invalid_inputs', err_msg: 'party 2: no' },
    });
    expect(record).not.toHaveProperty('result');
  });

  test('is completed with the key when its import came to something', async () => {
    const subject = { resourceType: 'key', resourceIds: [key.id], keyIds: [key.id] };
    const read = reader(withKey(key), [outcome({ operation: importKey, subject })]);
    expect(await read(alice)).toMatchObject({ status: 'completed', result: { id: key.id } });
  });

  test('has no result once what it made is gone, and shows no secret for it', async () => {
    const store = storeOf();
    const state = { ...baseState, users: deleteRow(baseState.users, bob.id) };
    const record = await reader(state, [outcome({})], store)(alice);
    expect(record).toMatchObject({ status: 'completed', result: null });
    expect(store.revealed.size).toBe(0);
  });
});

describe('a request that a gateway refused', () => {
  const refused = {
    action: 'create-vault',
    actor: alice.id,
    at: new Date(1_000),
    err_type: 'forbidden',
    reason: 'no administrative policy allows create_vaults',
  };

  test('is found by its creator and by viewers alone', async () => {
    const read = reader(baseState, [], storeOf({ refused }));
    const record = {
      operation: 'create-vault',
      status: 'rejected',
      created_by: alice.id,
      error: { err_type: refused.err_type, err_msg: refused.reason },
    };
    expect(await read(alice)).toMatchObject(record);
    expect(await read(viewer)).toMatchObject(record);
    expect(await read(bob)).toMatchObject(NOT_FOUND);
  });

  test('has failed where it was no refusal', async () => {
    const failed = { ...refused, err_type: 'gateway_timeout' };
    const read = reader(baseState, [], storeOf({ refused: failed }));
    expect(await read(alice)).toMatchObject({ status: 'failed' });
  });

  test('is what became of it after all, where there is more', async () => {
    const read = reader(baseState, [outcome({})], storeOf({ refused }));
    expect(await read(alice)).toMatchObject({ status: 'completed' });
  });
});

describe('a request that waits in the ledger', () => {
  const asked = generateKeyPairSync('ed25519');
  const { x } = asked.publicKey.export({ format: 'jwk' });
  const desk: MachineUser = {
    ...machine('desk'),
    apiKeySha256: apiKeySha256('api key'),
    publicKey: Buffer.from(x ?? '', 'base64url').toString('base64'),
  };
  const state: VaultState = {
    ...baseState,
    users: insertRow(baseState.users, desk),
    evidenceKeys: [{ id: keys.ids[0], heldBy: [1, 2, 3] }],
  };
  const unsigned: Evidence = {
    method: 'POST',
    path: '/v1/vaults',
    query: '',
    body: Buffer.from('{}'),
    scheme: 'ApiKey',
    credential: 'api key',
    timestampMs: 1_000,
    nonce: Buffer.alloc(8),
    assertion: Buffer.alloc(64),
  };
  const digest = digestOf(unsigned);
  const evidence = { ...unsigned, assertion: sign(null, digest, asked.privateKey) };
  const row = { seq: 6, prevHash: Buffer.alloc(32), hash: Buffer.alloc(32, 6) };
  const body = encodeEvidenceEntry(1_000, evidence, keys);
  const entry = readEntry({ ...row, body }, keys)!;
  const id = requestIdOf(digest);

  test('is undecided, however late it is asked for', async () => {
    const read = reader(state, [], undefined, undefined, [entry]);
    expect(await read(desk, id)).toMatchObject({
      request_id: id,
      operation: 'create-vault',
      status: 'processing',
      phase: 'undecided',
      created_by: desk.id,
    });
    expect(await read(desk, id, 301_001)).toMatchObject({ status: 'processing' });
  });

  test('is seen by its creator and by viewers alone', async () => {
    const read = reader(state, [], undefined, undefined, [entry]);
    expect(await read(bob, id)).toMatchObject(NOT_FOUND);
    expect(await read(viewer, id)).toMatchObject({ status: 'processing' });
  });

  test('is what it was judged to be once it was judged', async () => {
    const judged = outcome({ requestId: id, actorId: desk.id });
    const read = reader(state, [judged], undefined, undefined, [entry]);
    expect(await read(desk, id)).toMatchObject({ status: 'completed', operation: 'create-user' });
  });
});

describe('a request for a signature', () => {
  const vault = createProvingParties();
  const unproven = {
    outcome: 'signed',
    submission: randomBytes(16).toString('hex'),
    signature: Buffer.alloc(64, 0xab),
    details: new Uint8Array(),
    receipt: {
      requestId,
      keyId: key.id,
      messageSha256: '00'.repeat(32),
      policy: { id: idOf('sp'), version: 2, ruleId: idOf('rule') },
      ledgerSeq: 9,
      ledgerHash: sha256('the head').toString('hex'),
      rulesVersion: 1,
      parties: [1, 3],
      signedAt: 1_500,
    },
  } as const;
  const signed = prove<SignedOutcome>(unproven, vault);

  const accepted = {
    operation: 'raw-sign-with-key',
    created_by: alice.id,
    created_at: new Date(1_000),
    expires_at: new Date(31_000),
  };

  /** As it was checked, for which see the results. */
  function ended(path: string, body: unknown, outcome: RecordedOutcome) {
    const evidence: Evidence = {
      method: 'POST',
      path,
      query: '',
      body: Buffer.from(JSON.stringify(body)),
      credential: 'the-api-key',
      scheme: 'ApiKey',
      timestampMs: 1,
      nonce: Buffer.alloc(8),
      assertion: Buffer.alloc(64),
    };
    const result = (state: VaultState): CheckedResult => ({
      outcome,
      asked: askedBefore(evidence, () => state) as AskedRequest,
      evidence,
      createdBy: alice.id,
      receivedAt: 1_000,
      completedAt: 1_600,
    });
    return { accepted, result };
  }

  const rawSign = { message: '00ff', message_encoding: 'hex', output_encoding: 'hex' };

  test('is queued until it expires', async () => {
    const read = reader(baseState, [], storeOf({ accepted }));
    expect(await read(alice)).toMatchObject({
      status: 'processing',
      phase: 'queued',
      expires_at: '1970-01-01T00:00:31.000Z',
    });
    // what was signed in time may still be being committed
    expect(await read(alice, requestId, 40_999)).toMatchObject({ status: 'processing' });
    expect(await read(alice, requestId, 41_000)).toMatchObject({ status: 'expired' });
  });

  test('is seen by its creator and by viewers alone', async () => {
    const read = reader(baseState, [], storeOf({ accepted }));
    expect(await read(bob)).toMatchObject(NOT_FOUND);
    expect(await read(viewer)).toMatchObject({ status: 'processing' });
  });

  test('is completed with the answer in the encoding asked for', async () => {
    const row = ended(`/v1/keys/${key.id}/raw-sign`, rawSign, signed);
    const record = await reader(withKey(key), [], storeOf(row))(alice);
    expect(record).toMatchObject({
      status: 'completed',
      completed_at: '1970-01-01T00:00:01.600Z',
      result: {
        signature: 'ab'.repeat(64),
        receipt: {
          ledger_seq: 9,
          ledger_hash: sha256('the head').toString('hex'),
          rules_version: 1,
          parties: [1, 3],
          signature_sha256: sha256(signed.signature).toString('hex'),
          signatures: [
            { party: 1, leaf_index: 0, tree_size: 1, inclusion_path: [] },
            { party: 3, leaf_index: 0, tree_size: 1, inclusion_path: [] },
          ],
        },
      },
    });
  });

  test('gives its signature to its creator alone', async () => {
    const row = ended(`/v1/keys/${key.id}/raw-sign`, rawSign, signed);
    const { result: _result, ...others } = (await reader(
      withKey(key),
      [],
      storeOf(row),
    )(alice)) as RequestRecord;
    const shown = await reader(withKey(key), [], storeOf(row))(viewer);
    expect(shown).toEqual(others);
    for (const encoding of ['base64', 'hex'] as const) {
      const signature = Buffer.from(signed.signature).toString(encoding);
      expect(JSON.stringify(shown)).not.toContain(signature);
    }
  });

  test('shows viewers what was asked for and the receipt, and no credential', async () => {
    const path = `/v1/keys/${key.id}/raw-sign`;
    const read = (outcome: RecordedOutcome, by: MachineUser) =>
      reader(withKey(key), [], storeOf(ended(path, rawSign, outcome)))(by);
    const content = {
      transcript: expect.stringMatching(/^[0-9a-f]{64}$/),
      method: 'POST',
      path,
      query: '',
      body: Buffer.from(JSON.stringify(rawSign)).toString('base64'),
    };
    const shown = await read(signed, viewer);
    expect(shown).toMatchObject({ content, receipt: { parties: [1, 3], ledger_seq: 9 } });
    expect(JSON.stringify(shown)).not.toContain('the-api-key');
    expect(await read(signed, bob)).toMatchObject(NOT_FOUND);
    const { submission } = unproven;
    const no = denied({ requestId, submission }, vault, { reason: 'no rule' });
    const refused = await read(no, viewer);
    expect(refused).toMatchObject({ status: 'rejected', content });
    expect(refused).not.toHaveProperty('receipt');
  });

  test('is as if it had no result where no row of one holds', async () => {
    const read = reader(withKey(key), [], storeOf({ accepted }));
    expect(await read(alice)).toMatchObject({ status: 'processing' });
    expect(await reader(withKey(key), [], storeOf())(alice)).toMatchObject(NOT_FOUND);
  });

  test('expires 30 seconds after it came when it was never answered 202', async () => {
    const { result } = ended(`/v1/keys/${key.id}/raw-sign`, rawSign, signed);
    const record = await reader(withKey(key), [], storeOf({ result }))(alice);
    expect(record).toMatchObject({ expires_at: '1970-01-01T00:00:31.000Z' });
  });

  test('keeps its answer after its wallet was removed', async () => {
    const address = addressOf('solana', publicKey);
    const path = `/v1/vaults/${idOf('vault')}/wallets/${address}/raw-sign`;
    const row = ended(path, { message: 'AAAA' }, signed);
    const state = withKey({ ...key, status: 'disabled', walletId: idOf('wallet') });
    expect(await reader(state, [], storeOf(row))(alice)).toMatchObject({
      status: 'completed',
      result: { public_key: key.publicKey },
    });
  });

  describe('at a venue', () => {
    const venueKey: Key = {
      ...key,
      type: 'hmac',
      scheme: 'hmac_sha256',
      custody: 'split',
      publicKey: '',
      venueId: 'okx',
      venueApiKey: 'key-as-it-is-now',
    };
    const request = { method: 'GET', path: '/api/v5/account/balance', channel: 'rest' };
    const recorded = (details: Uint8Array) =>
      prove<SignedOutcome>({ ...unproven, signature: Buffer.alloc(32, 0xab), details }, vault);
    const rowOf = (details: Uint8Array) =>
      ended(`/v1/keys/${key.id}/sign`, { venue_request: request }, recorded(details));

    test('is completed with the request as it was signed, whatever the key is called since', async () => {
      const details = { nonce: 0n, venueApiKey: 'key-as-it-was', passphrase: 'third secret' };
      const row = rowOf(sealSigningDetails(details, signed.receipt, keys));
      expect(await reader(withKey(venueKey), [], storeOf(row))(alice)).toMatchObject({
        status: 'completed',
        result: {
          request: {
            method: 'GET',
            path: '/api/v5/account/balance',
            headers: {
              'OK-ACCESS-KEY': 'key-as-it-was',
              'OK-ACCESS-PASSPHRASE': 'third secret',
              'OK-ACCESS-SIGN': Buffer.alloc(32, 0xab).toString('base64'),
              'OK-ACCESS-TIMESTAMP': '1970-01-01T00:00:01.500Z',
            },
          },
          operation_class: 'read',
          receipt: { key_id: key.id },
        },
      });
    });

    test('is not answered from details that somebody else made', async () => {
      const others = createEvidenceKeys([Buffer.alloc(32, 4)]);
      const details = { nonce: 0n, venueApiKey: 'theirs', passphrase: 'theirs' };
      const spoiled = Buffer.from(sealSigningDetails(details, signed.receipt, keys));
      spoiled[spoiled.length - 1]! ^= 1;
      for (const bytes of [sealSigningDetails(details, signed.receipt, others), spoiled]) {
        const read = reader(withKey(venueKey), [], storeOf(rowOf(bytes)));
        await expect(read(alice)).rejects.toThrow();
      }
    });
  });

  test('is rejected when policy denied it', async () => {
    const { submission } = unproven;
    const no = denied({ requestId, submission }, vault, { reason: 'no rule' });
    const row = ended(`/v1/keys/${key.id}/raw-sign`, rawSign, no);
    expect(await reader(withKey(key), [], storeOf(row))(alice)).toMatchObject({
      status: 'rejected',
      error: { err_type: 'forbidden', err_msg: 'no rule' },
    });
  });
});
