/** Who acts in a fuzzed ledger, and the few names, keys and ids that its entries are made of, so that they clash. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { ADMIN_POLICY_TYPES } from '@countersign/api/requests/admin-policy-types.js';
import { sealBox } from '@countersign/core/aead-box.js';
import { enrollmentCodeSha256 } from '@countersign/core/enrolment-proof.js';
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { toBase64 } from '@countersign/core/bytes.js';
import { uuidFromHash } from '@countersign/core/hash.js';
import {
  apiKeyOf,
  apiKeySha256,
  enrollmentCodeOf,
} from '@countersign/vault/authentication/user-secrets.js';
import type { Genesis } from '@countersign/vault/ledger/entry.js';
import type { PendingRequest, User, VaultState } from '@countersign/vault/state/state.js';
import type { Table } from '@countersign/vault/state/table.js';
import { UNKNOWN_ID } from './operation-inputs.ts';
import {
  rawPublicKey,
  testGenesis,
  testPrivateKey,
  testSecret,
  testUser,
  type LedgerUser,
} from './ledger-builder.ts';
import { googleToken, ownEnrollmentCode, TEST_PASSKEYS } from './person.ts';
import type { Random } from './seeded-random.ts';
import type { ValueSource } from './shape-values.ts';
import { createSoftwarePasskey, type SoftwarePasskey } from './software-authenticator.ts';

/** All have every right from the genesis on. */
export const FOUNDERS: readonly LedgerUser[] = ['administrator', 'second', 'third'].map(testUser);

const EVIDENCE_SECRETS = ['evidence key', 'other evidence key'].map(testSecret);
const KEYS = createEvidenceKeys(EVIDENCE_SECRETS);

/** Of the evidence keys that all hold; and one that nobody does. */
export const EVIDENCE_KEY_IDS = [...KEYS.ids, 'ab'.repeat(8)];

export function fuzzGenesis(): Genesis {
  const [admin] = FOUNDERS;
  const genesis = testGenesis(admin!);
  return {
    ...genesis,
    passkeys: TEST_PASSKEYS,
    evidence_key_ids: [...KEYS.ids],
    users: FOUNDERS.map(({ id, apiKey, publicKey }, at) => ({
      id,
      display_name: `Founder ${at}`,
      public_key: publicKey,
      api_key_sha256: apiKeySha256(apiKey),
    })),
    admin_policies: ADMIN_POLICY_TYPES.map((action) => ({
      id: uuidFromHash(testSecret(`genesis policy ${action}`)),
      display_name: `Founders: ${action}`,
      action,
      user_ids: FOUNDERS.map(({ id }) => id),
    })),
  };
}

/** The evidence keys, whose seals are the same for the same seed. */
export function seededKeys(random: Random): EvidenceKeys {
  return {
    ...KEYS,
    sealEntry(plaintext, associatedData) {
      const which = random.chance(0.03) ? 1 : 0;
      const nonce = Buffer.alloc(12);
      for (let at = 0; at < 12; at += 4)
        nonce.writeUInt32LE(Math.floor(random.next() * 2 ** 32), at);
      const box = sealBox(EVIDENCE_SECRETS[which]!, nonce, plaintext, associatedData);
      return Buffer.concat([Buffer.from(KEYS.ids[which]!, 'hex'), nonce, box]);
    },
  };
}

const MACHINE_KEYS: readonly KeyObject[] = Array.from({ length: 12 }, (_, at) =>
  testPrivateKey(`machine ${at}`),
);
const MACHINE_PUBLIC_KEYS = MACHINE_KEYS.map((key) => rawPublicKey(key));
const PRIVATE_KEYS = new Map<string, KeyObject>([
  ...FOUNDERS.map(({ publicKey, privateKey }) => [publicKey, privateKey] as const),
  ...MACHINE_KEYS.map((key, at) => [MACHINE_PUBLIC_KEYS[at]!.toString('base64'), key] as const),
]);

export const PASSKEYS: readonly SoftwarePasskey[] = Array.from({ length: 8 }, (_, at) => {
  const privateKey = testPrivateKey(`passkey ${at}`);
  const keys = { publicKey: createPublicKey(privateKey), privateKey };
  return createSoftwarePasskey('eddsa', `fuzz ${at}`, undefined, keys);
});
const PASSKEY_BY_CREDENTIAL = new Map(PASSKEYS.map((passkey) => [passkey.credentialId, passkey]));

export const OWN_CODES = Array.from({ length: 4 }, (_, at) =>
  ownEnrollmentCode(testSecret(`own enrolment code ${at}`)),
);
const TOKENS = Array.from({ length: 6 }, (_, at) => googleToken(`subject ${at}`));
const IDENTITIES = new Map(
  TOKENS.map((token, at) => [JSON.stringify(['gcp', `subject ${at}`]), token]),
);

/** How somebody signs. */
export type Actor =
  | { readonly apiKey: string; readonly privateKey: KeyObject }
  | { readonly token: string; readonly userId: string; readonly passkey: SoftwarePasskey };

/** What secrets entries made, whether or not they were accepted. */
export class KnownSecrets {
  readonly #apiKeys = new Map(FOUNDERS.map(({ apiKey }) => [apiKeySha256(apiKey), apiKey]));
  readonly #codes = new Map<string, string>();

  note(keys: EvidenceKeys, sealed: Uint8Array, entryHash: Uint8Array): void {
    const source = { secret: (label: string) => keys.derive(sealed, label, entryHash) };
    const apiKey = apiKeyOf(source);
    this.#apiKeys.set(apiKeySha256(apiKey), apiKey);
    const code = enrollmentCodeOf(source);
    this.#codes.set(enrollmentCodeSha256(code), code);
  }

  codeOf(sha256: string | null): string | undefined {
    return this.#codes.get(sha256 ?? '');
  }

  /** Undefined for whose keys nobody here has. */
  actorOf(user: User): Actor | undefined {
    if (user.type === 'machine') {
      const apiKey = this.#apiKeys.get(user.apiKeySha256);
      const privateKey = PRIVATE_KEYS.get(user.publicKey);
      return apiKey === undefined || privateKey === undefined ? undefined : { apiKey, privateKey };
    }
    const token = IDENTITIES.get(user.identity ?? '');
    const passkey = PASSKEY_BY_CREDENTIAL.get(user.passkeys?.[0]?.credentialId ?? '');
    return token === undefined || passkey === undefined
      ? undefined
      : { token, passkey, userId: user.id };
  }
}

export function tokenFor(random: Random): string {
  return random.pick(TOKENS);
}

/** Of all there ever were, so that what is gone is named too. */
export function anyId({ order }: Pick<Table<{ id: string }>, 'order'>, random: Random): string {
  if (order.size === 0 || random.chance(0.03)) return UNKNOWN_ID;
  // of the newest most of the time, so that what a ledger makes is used
  const span = random.chance(0.7) ? Math.min(order.size, 6) : order.size;
  return order.get(order.size - 1 - Math.floor(random.next() * span))!;
}

function userId(state: VaultState, random: Random): string {
  const { users } = state;
  if (!random.chance(0.35)) return anyId(users, random);
  return random.pick(FOUNDERS.slice(1)).id;
}

export function anyHeld(state: VaultState, random: Random): PendingRequest | undefined {
  const { open } = state.pendingRequests.indexes;
  const id =
    random.chance(0.9) && open.size > 0
      ? [...open][Math.floor(random.next() * open.size)]!
      : anyId(state.pendingRequests, random);
  return state.pendingRequests.rows.get(id);
}

const LETTERS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'] as const;

/** What is told of names that occur in paths, queries and bodies. `about`: what the path has named already. */
export interface About {
  version?: number;
  vaultId?: string;
  held?: PendingRequest | undefined;
}

export function sourceOf(state: VaultState, random: Random, about: About): ValueSource {
  const of = (values: readonly unknown[]) => () => random.pick(values);
  const id = (table: Pick<Table<{ id: string }>, 'order'>) => () => anyId(table, random);
  const user = () => userId(state, random);
  const member = () => anyId(random.chance(0.5) ? state.keys : state.wallets, random);
  const vault = () => {
    about.vaultId = anyId(state.vaults, random);
    return about.vaultId;
  };
  const told: Readonly<Record<string, () => unknown>> = {
    ...{ user_id: user, user_ids: user },
    ...{ user_group_ids: id(state.userGroups), vault_id: vault, vault_ids: vault },
    ...{ member_id: member, member_ids: member, remove: member },
    ...{ key_id: id(state.keys), key_ids: id(state.keys) },
    ...{ security_group_id: id(state.securityGroups), webhook_id: id(made(state.webhooks)) },
    ...{ list_id: id(made(state.addressLists)), destination_lists: id(made(state.addressLists)) },
    ...{ signing_policy_ids: id(state.signingPolicies) },
    ...{ address: () => anyAddress(state, about, random) },
    ...{ addresses: () => anyAddress(state, about, random) },
    display_name: () => `Desk ${random.pick(LETTERS)}`,
    email: () => `${random.pick(LETTERS)}@example.com`,
    issuer: () => 'https://accounts.google.com',
    subject: () => `subject ${Math.floor(random.next() * 6)}`,
    enrollment_public_key: () => random.pick(OWN_CODES).publicKey,
    public_key: () => random.pick(MACHINE_PUBLIC_KEYS).toString('base64url'),
    version: () => (random.chance(0.85) ? about.version : random.pick([1, 2, 3])),
    request_id: () => (about.held = anyHeld(state, random))?.id ?? UNKNOWN_ID,
    digest: () => (random.chance(0.95) ? about.held?.digest : '0'.repeat(64)),
    rule_ids: () => about.held && random.pick(about.held.askedBy)?.ruleId,
    ...{
      venue_id: of(['binance', 'binance', 'okx', 'okx', 'nowhere']),
      venue_ids: of(['binance', 'okx']),
    },
    venue_api_key: of(['key-1', 'key-2', 'key-3']),
    ...{ network_family: of(['solana', 'sui', 'near', 'tron']), networks: of(NETWORKS) },
    ...{ quorum: of([1, 1, 1, 2, 2, 3]), delay_s: of([1, 5, 60, 3_600]) },
    ...{ expires_in_s: of([60, 120, 3_600]), window_s: of([1, 60, 86_400]) },
    ...{ min: of(DECIMALS), max: of(DECIMALS), limit: of(DECIMALS) },
    ...{ party: of(['3', '3', '3', '4']), dealers: of([1, 2, 3]) },
    identity_public_key: () => random.pick(HOSTS).publicKey,
    exchange_public_key: () => toBase64(testSecret(`exchange key ${random.next()}`)),
    shares: () => sharesFor(state, random),
    'label value': of(['a', 'b', 'c']),
  };
  return { random, named: (name) => told[name]?.() };
}

/** Hosts that may take the place of party 3. */
export const HOSTS = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => {
  const privateKey = testPrivateKey(`host ${number}`);
  return { privateKey, publicKey: toBase64(rawPublicKey(privateKey)) };
});

const NETWORKS = ['solana-mainnet', 'solana-devnet', 'sui-mainnet', 'near-mainnet'];
const DECIMALS = ['0', '0.5', '1', '2.5', '10', '1000000', '1,000', '0.000000001'];

type Order = Pick<Table<{ id: string }>, 'order'>;

/** Of a table that the state may not have yet. */
function made(table: Order | undefined): Order {
  return table ?? ({ order: { size: 0 } } as unknown as Order);
}

/** Mostly of the vault that the path names. */
function anyAddress({ wallets }: VaultState, { vaultId }: About, random: Random): string {
  const own = wallets.indexes.byVault.get(vaultId ?? '');
  const ids = own === undefined || random.chance(0.1) ? wallets : { order: own };
  return wallets.rows.get(anyId(ids, random))?.address || 'abc';
}

/** As an import names them: what is sealed is never opened by the fold. */
function sharesFor({ importRecipients }: VaultState, random: Random): unknown {
  if (importRecipients.length < 3 || random.chance(0.1)) return undefined;
  return [1, 2, 3].map((party) => {
    const own = importRecipients.filter((row) => row.party === party);
    const sealed = testSecret(`sealed ${Math.floor(random.next() * 40)} to party ${party}`);
    return {
      party,
      recipient_id: own.at(random.chance(0.85) ? -1 : 0)?.id ?? UNKNOWN_ID,
      sealed: Buffer.concat([sealed, sealed]).toString('base64'),
    };
  });
}
