/**
 * The vault of the model: an administrator, an officer who may freeze, a bot with a key that it may use, and the
 * requests that they sign. All signatures and hashes are real.
 */
import { sign } from 'node:crypto';
import type { Evidence } from '@countersign/core/evidence.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { type EntryRow } from '@countersign/vault/ledger/entry.js';
import {
  encodeAttestation,
  encodeEvidenceEntry,
  encodeGenesis,
} from '@countersign/vault/ledger/write-entry.js';
import { apiKeySha256 } from '@countersign/vault/authentication/user-secrets.js';
import {
  createLedgerBuilder,
  evidenceOf,
  keyStory,
  START,
  testGenesis,
  testPrivateKey,
  testUser,
  type LedgerUser,
} from '../support/ledger-builder.js';

export const ADMIN = testUser('administrator');
export const OFFICER = testUser('officer');
export const BOT = testUser('bot');

const IDENTITY_KEYS = PARTY_NUMBERS.map((party) => testPrivateKey(`party ${party}`));

export function signAs(party: PartyNumber, message: Uint8Array): Buffer {
  return sign(null, message, IDENTITY_KEYS[party - 1]!);
}

/** What a test vault begins with: the same for all runs, so that it is signed once. */
export interface ModelVault {
  readonly rows: readonly EntryRow[];
  readonly genesisHash: string;
  readonly keyId: string;
  readonly keys: ReturnType<typeof createLedgerBuilder>['keys'];
  /** When it was made, ms. */
  readonly madeAt: number;
}

export function createModelVault(): ModelVault {
  const ledger = createLedgerBuilder({ genesis: false });
  ledger.append(encodeGenesis(START, modelGenesis()));
  const keyId = ledger.must(ADMIN, 'POST', '/v1/keys', { type: 'ed25519', display_name: 'key' });
  for (const party of PARTY_NUMBERS) {
    const fact = ledger.signedFact(party, keyId, keyStory(keyId));
    ledger.appendRow(encodeAttestation(START, fact));
  }
  const groupId = ledger.must(ADMIN, 'POST', '/v1/security-groups', {
    display_name: 'group',
    members: [{ member_id: keyId, member_type: 'key' }],
  });
  const when = { operations: ['raw_sign'], initiators: { user_ids: [BOT.id] } };
  ledger.must(ADMIN, 'POST', '/v1/signing-policies', {
    display_name: 'the bot signs',
    security_group_id: groupId,
    rules: [{ display_name: 'allow', when, then: 'allow' }],
  });
  const { rows, keys, now: madeAt } = ledger;
  return { rows, keys, madeAt, keyId, genesisHash: ledger.state.genesisHash };
}

function modelGenesis() {
  const genesis = testGenesis(ADMIN);
  const [first] = genesis.users;
  const others = [OFFICER, BOT].map((user, index) => ({
    ...first!,
    id: user.id,
    display_name: ['Officer', 'Bot'][index]!,
    public_key: user.publicKey,
    api_key_sha256: apiKeySha256(user.apiKey),
  }));
  return {
    ...genesis,
    users: [...genesis.users, ...others],
    admin_policies: genesis.admin_policies.map((policy) =>
      policy.action === 'freeze' ? { ...policy, user_ids: [ADMIN.id, OFFICER.id] } : policy,
    ),
  };
}

const FREEZE_SYSTEM = '/v1/system/freeze';
const usersTarget = (action: string, { id }: LedgerUser) => `/v1/users/${action}?user_ids=${id}`;

/** How long unfreezings wait once somebody has asked for that, s. */
export const UNFREEZING_WAITS_S = 60;

const WAITING_UNFREEZINGS = {
  display_name: 'unfreezings wait',
  action: 'unfreeze',
  effect: 'allow',
  subjects: { user_ids: [ADMIN.id] },
  delay_s: UNFREEZING_WAITS_S,
};

/** The judge of the model throws at an entry with it, as a real one would that has a fault. */
export const FAULT_QUERY = 'fault=1';

interface RequestKind {
  readonly user: LedgerUser;
  readonly target: string;
  readonly stops?: boolean;
  readonly input?: object;
}

/** What somebody signs. `stops`: the bot signs nothing under it; `allows` gives that back. */
export const REQUESTS = {
  'make a vault': { user: ADMIN, target: '/v1/vaults' },
  'make a vault, without the right': { user: BOT, target: '/v1/vaults' },
  'freeze the bot': { user: OFFICER, target: usersTarget('freeze', BOT), stops: true },
  'freeze the system': { user: OFFICER, target: FREEZE_SYSTEM, stops: true },
  'unfreeze the bot': { user: ADMIN, target: usersTarget('unfreeze', BOT) },
  'unfreeze the system': { user: ADMIN, target: '/v1/system/unfreeze' },
  'freeze the officer': { user: ADMIN, target: usersTarget('freeze', OFFICER) },
  'unfreeze the officer': { user: ADMIN, target: usersTarget('unfreeze', OFFICER) },
  'let unfreezings wait': { user: ADMIN, target: '/v1/admin-policies', input: WAITING_UNFREEZINGS },
  'find a fault of the judge': { user: BOT, target: `/v1/vaults?${FAULT_QUERY}` },
} as const satisfies Record<string, RequestKind>;

export type RequestName = keyof typeof REQUESTS;

export interface ModelRequest {
  readonly name: RequestName;
  /** By the caller's clock, ms. */
  readonly stamp: number;
  readonly body: Uint8Array;
  readonly isFreeze: boolean;
  /** Whether no signature of the bot may leave a party once it is answered. */
  readonly stops: boolean;
}

let serial = 0;

function nonceOf(number: number): Buffer {
  const nonce = Buffer.alloc(8);
  nonce.writeUInt32LE(number);
  return nonce;
}

export function signRequest(vault: ModelVault, name: RequestName, stamp: number): ModelRequest {
  const what: RequestKind = REQUESTS[name];
  const { user, target, stops = false } = what;
  const number = (serial += 1);
  const vaultName = target === '/v1/vaults' ? { display_name: `vault ${number}` } : {};
  const input = what.input ?? vaultName;
  const evidence = evidenceOf(user, {
    method: 'POST',
    target,
    body: Buffer.from(JSON.stringify(input)),
    timestampMs: stamp,
    nonce: nonceOf(number),
  });
  const body = encodeEvidenceEntry(stamp, evidence, vault.keys);
  return { name, stamp, body, stops, isFreeze: name.startsWith('freeze') };
}

/** The bot asks for a signature. */
export function askForSignature({ keyId }: ModelVault, stamp: number): Evidence {
  serial += 1;
  return evidenceOf(BOT, {
    method: 'POST',
    target: `/v1/keys/${keyId}/raw-sign`,
    body: Buffer.from(JSON.stringify({ message: 'hello', message_encoding: 'utf8' })),
    timestampMs: stamp,
    nonce: nonceOf(serial),
  });
}
