/** A ledger in memory: a genesis with known keys, and signed entries chained after it as nodes do. */
import { createPrivateKey, createPublicKey, randomBytes, sign, type KeyObject } from 'node:crypto';
import { ceremonyHashOf, keyAttestationMessage } from '@countersign/core/attestation.js';
import { toBase64 } from '@countersign/core/bytes.js';
import { digestOf, type Evidence } from '@countersign/core/evidence.js';
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { sha256, uuidFromHash } from '@countersign/core/hash.js';
import { CATALOGUES } from '@countersign/vault/catalogues/todays-catalogues.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { type EntryRow, type Genesis, type StatementOf } from '@countersign/vault/ledger/entry.js';
import {
  encodeAttestation,
  encodeCountersignature,
  encodeEvidenceEntry,
  encodeGenesis,
} from '@countersign/vault/ledger/write-entry.js';
import { findRowChanges } from '@countersign/vault/audit/row-changes.js';
import { createFold, type LedgerView } from '@countersign/vault/ledger/fold.js';
import { rehearseRequest } from '@countersign/vault/ledger/rehearse.js';
import type { Rules } from '@countersign/vault/ledger/judging.js';
import { checkRequest } from '@countersign/vault/operations/check-request.js';
import {
  countersignatureMessage,
  type Countersignature,
} from '@countersign/core/party-statements.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import {
  ADMIN_POLICY_TYPES,
  type AdminPolicyType,
} from '@countersign/api/requests/admin-policy-types.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { addressOf } from '@countersign/chains/addresses.js';
import { apiKeyOf, apiKeySha256 } from '@countersign/vault/authentication/user-secrets.js';
import { nextRow } from './chained-rows.ts';

export { rechain } from './chained-rows.ts';

export interface LedgerUser {
  readonly id: string;
  readonly apiKey: string;
  readonly privateKey: KeyObject;
  /** Raw, base64. */
  readonly publicKey: string;
}

export interface EvidenceOptions {
  readonly timestampMs?: number;
  readonly nonce?: Uint8Array;
}

/** What a party says of a key, before it is signed. */
export type KeyStory = Pick<StatementOf<'attestation'>, 'session' | 'publicKey' | 'transcriptHash'>;

export interface LedgerBuilder {
  readonly keys: EvidenceKeys;
  readonly admin: LedgerUser;
  readonly rows: readonly EntryRow[];
  readonly outcomes: readonly EntryOutcome[];
  readonly state: VaultState;
  /** Moves with each entry, one second at a time; tests may set it. */
  now: number;
  /** Signed by the user, not appended. */
  evidenceOf(
    user: LedgerUser,
    method: string,
    target: string,
    body?: unknown,
    options?: EvidenceOptions,
  ): Evidence;
  /** Appends a change of the vault, which parties 1 and 2 judge at once (`at` by their clocks: now). */
  append(body: Uint8Array, at?: number): EntryOutcome;
  appendEvidence(evidence: Evidence, judgedAt?: number): EntryOutcome;
  /** Appends a row and nothing else: what it came to, and what came of others by it. */
  appendRow(body: Uint8Array): EntryOutcome[];
  /** A party's statement, by default for the head and now; not appended. */
  countersignature(party: PartyNumber, statement?: Partial<Countersignature>): Buffer;
  readonly view: LedgerView;
  /** Signs and appends, as somebody does who has the gateway's role and asks no catalogue. */
  sendUnchecked(user: LedgerUser, method: string, target: string, body?: unknown): EntryOutcome;
  /**
   * Signs, and appends what this release's catalogues have nothing against, as a gateway does. What they
   * refuse is not appended; its outcome is that of no entry.
   */
  send(user: LedgerUser, method: string, target: string, body?: unknown): EntryOutcome;
  /** As {@link send}; throws when refused, and gives the first id of what was made or changed. */
  must(user: LedgerUser, method: string, target: string, body?: unknown): string;
  /** A new machine user with rights everywhere. */
  addMachine(name: string, rights?: readonly AdminPolicyType[]): LedgerUser;
  /** The API key that the entry made: what its caller was answered. */
  apiKeyOf(outcome: EntryOutcome): string;
  signedFact(party: PartyNumber, keyId: string, story: KeyStory): StatementOf<'attestation'>;
  appendFact(fact: StatementOf<'attestation'>, judgedAt?: number): EntryOutcome;
  attest(party: PartyNumber, keyId: string, story?: KeyStory): EntryOutcome;
}

export const START = Date.UTC(2026, 0, 5, 12);

/** 32 bytes that depend on nothing but the name: a key of the test, worth nothing elsewhere. */
export function testSecret(name: string): Buffer {
  return sha256('countersign test secret', name);
}

export function privateKeyOfSeed(seed: Uint8Array): KeyObject {
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
  const der = Buffer.concat([prefix, seed]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

/** Making one takes longer than a fold takes for an entry that it signs. */
const privateKeys = new Map<string, KeyObject>();

export function testPrivateKey(name: string): KeyObject {
  const known = privateKeys.get(name) ?? privateKeyOfSeed(testSecret(name));
  privateKeys.set(name, known);
  return known;
}

export function rawPublicKey(privateKey: KeyObject): Buffer {
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  return Buffer.from(x ?? '', 'base64url');
}

export function keyStory(name: string): KeyStory {
  return {
    session: testSecret(`session of ${name}`).toString('hex').slice(0, 32),
    publicKey: rawPublicKey(testPrivateKey(`generated ${name}`)),
    transcriptHash: testSecret(`transcript of ${name}`),
  };
}

export function testUser(name: string): LedgerUser {
  const privateKey = testPrivateKey(`user ${name}`);
  return {
    id: uuidFromHash(testSecret(`id of ${name}`)),
    apiKey: uuidFromHash(testSecret(`api key of ${name}`)),
    privateKey,
    publicKey: toBase64(rawPublicKey(privateKey)),
  };
}

const TEST_EVIDENCE_KEYS = createEvidenceKeys([testSecret('evidence key')]);

export function testGenesis(admin: LedgerUser): Genesis {
  return {
    vault_id: uuidFromHash(testSecret('vault id')),
    rules_version: 1,
    parties: PARTY_NUMBERS.map((party) => ({
      party,
      identity_public_key: toBase64(rawPublicKey(testPrivateKey(`party ${party}`))),
      exchange_public_key: toBase64(testSecret(`exchange key of party ${party}`)),
    })),
    evidence_key_ids: [TEST_EVIDENCE_KEYS.ids[0]],
    users: [
      {
        id: admin.id,
        display_name: 'Administrator',
        public_key: admin.publicKey,
        api_key_sha256: apiKeySha256(admin.apiKey),
      },
    ],
    admin_policies: ADMIN_POLICY_TYPES.map((action) => ({
      id: uuidFromHash(testSecret(`genesis policy ${action}`)),
      display_name: `Administrator: ${action}`,
      action,
      user_ids: [admin.id],
    })),
  };
}

export function evidenceOf(
  user: LedgerUser,
  request: { method: string; target: string; body: Buffer; timestampMs: number; nonce: Uint8Array },
): Evidence {
  const [path = '', ...rest] = request.target.split('?');
  const unsigned = {
    method: request.method,
    path,
    query: rest.join('?'),
    body: request.body,
    scheme: 'ApiKey' as const,
    credential: user.apiKey,
    timestampMs: request.timestampMs,
    nonce: request.nonce,
    assertion: Buffer.alloc(64),
  };
  return { ...unsigned, assertion: sign(null, digestOf(unsigned), user.privateKey) };
}

/** What a request comes to that a gateway does not append. */
const NO_ENTRY: EntryOutcome = {
  seq: 0,
  hash: Buffer.alloc(32),
  prevHash: Buffer.alloc(32),
  at: 0,
  listedAt: 0,
  kind: 'evidence',
  refusal: undefined,
  actorId: undefined,
  operation: undefined,
  requestId: undefined,
  policy: undefined,
  subject: undefined,
  sealedCredential: undefined,
  judgedBy: undefined,
};

export function createLedgerBuilder(
  options: {
    readonly genesis?: boolean;
    readonly keys?: EvidenceKeys;
    readonly rules?: readonly Rules[];
    /** Where people's passkeys belong; absent: the genesis does not say. */
    readonly passkeys?: Genesis['passkeys'];
  } = {},
): LedgerBuilder {
  const { keys = TEST_EVIDENCE_KEYS, rules } = options;
  const admin = testUser('administrator');
  const fold = createFold({
    keys,
    findChanges: findRowChanges,
    ...(rules !== undefined && { rules }),
  });
  const rows: EntryRow[] = [];
  const outcomes: EntryOutcome[] = [];

  const builder: LedgerBuilder = {
    keys,
    admin,
    rows,
    outcomes,
    get state() {
      return fold.view.state;
    },
    get view() {
      return fold.view;
    },
    now: START,
    evidenceOf(user, method, target, body, { timestampMs, nonce } = {}) {
      return evidenceOf(user, {
        method,
        target,
        body: body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body)),
        timestampMs: timestampMs ?? builder.now,
        nonce: nonce ?? randomBytes(8),
      });
    },
    appendRow(body) {
      const row = nextRow(rows.at(-1), body);
      const settled = fold.advance([row]);
      rows.push(row);
      outcomes.push(...settled);
      return settled;
    },
    append(body, at = builder.now) {
      const settled = builder.appendRow(body);
      const { seq, hash } = rows.at(-1)!;
      if (seq > 1 && settled.length === 0) {
        for (const party of [1, 2] as const) {
          settled.push(...builder.appendRow(builder.countersignature(party, { seq, hash, at })));
        }
      }
      builder.now += 1_000;
      return settled.find((outcome) => outcome.seq === seq)!;
    },
    countersignature(party, given = {}) {
      const { seq, hash } = rows.at(-1)!;
      const statement: Countersignature = {
        party,
        seq,
        hash,
        at: builder.now,
        rules: builder.view.rules,
        newestRules: builder.view.rules,
        ...given,
      };
      const message = countersignatureMessage(statement, builder.state.genesisHash);
      const signature = sign(null, message, testPrivateKey(`party ${party}`));
      return encodeCountersignature(builder.now, { ...statement, signature });
    },
    appendEvidence: (evidence, judgedAt = builder.now) =>
      builder.append(encodeEvidenceEntry(judgedAt, evidence, keys), judgedAt),
    sendUnchecked: (user, method, target, body) =>
      builder.appendEvidence(builder.evidenceOf(user, method, target, body)),
    send(user, method, target, body) {
      const evidence = builder.evidenceOf(user, method, target, body);
      const { view } = fold;
      const isFine = rehearseRequest(view, evidence, keys, builder.now).refusal === undefined;
      const refusal = isFine ? checkRequest(view.state, evidence, CATALOGUES) : undefined;
      if (refusal === undefined) return builder.appendEvidence(evidence);
      return { ...NO_ENTRY, at: builder.now, refusal };
    },
    must(user, method, target, body) {
      const { refusal, subject } = builder.send(user, method, target, body);
      if (refusal !== undefined) throw new Error(`${method} ${target}: ${refusal.message}`);
      return subject?.resourceIds[0] ?? '';
    },
    addMachine(name, rights = []) {
      const privateKey = testPrivateKey(`user ${name}`);
      const publicKey = rawPublicKey(privateKey);
      const outcome = builder.send(admin, 'POST', '/v1/users', {
        type: 'machine',
        display_name: name,
        public_key: publicKey.toString('base64url'),
      });
      const id = outcome.subject?.resourceIds[0];
      if (id === undefined) throw new Error(`no user ${name}: ${outcome.refusal?.message}`);
      for (const action of rights) {
        builder.must(admin, 'POST', '/v1/admin-policies', {
          display_name: `${name}: ${action}`,
          action,
          effect: 'allow',
          subjects: { user_ids: [id] },
        });
      }
      return { id, apiKey: builder.apiKeyOf(outcome), privateKey, publicKey: toBase64(publicKey) };
    },
    apiKeyOf({ hash, sealedCredential }) {
      if (sealedCredential === undefined) throw new Error('the entry made no API key');
      return apiKeyOf({ secret: (label) => keys.derive(sealedCredential, label, hash) });
    },
    signedFact(party, keyId, story) {
      const { state } = fold.view;
      const key = state.keys.rows.get(keyId);
      const wallet = state.wallets.rows.get(key?.walletId ?? '');
      const message = keyAttestationMessage(
        {
          vaultId: wallet?.vaultId ?? '',
          keyId,
          keyType: key?.type ?? 'ed25519',
          publicKey: story.publicKey,
          address: wallet === undefined ? '' : addressOf(wallet.networkFamily, story.publicKey),
          ceremonyHash: ceremonyHashOf(story.session, story.transcriptHash),
        },
        state.genesisHash,
      );
      const signature = sign(null, message, testPrivateKey(`party ${party}`));
      return { party, keyId, ...story, signature };
    },
    appendFact: (fact, judgedAt = builder.now) =>
      builder.append(encodeAttestation(judgedAt, fact), judgedAt),
    attest: (party, keyId, story = keyStory(keyId)) =>
      builder.appendFact(builder.signedFact(party, keyId, story)),
  };
  const { passkeys } = options;
  const genesis = { ...testGenesis(admin), ...(passkeys !== undefined && { passkeys }) };
  if (options.genesis !== false) builder.append(encodeGenesis(START, genesis));
  return builder;
}
