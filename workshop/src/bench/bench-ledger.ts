/** A ledger of its own making, for measurements: wallets with their keys, users, and two countersignatures each. */
import { generateKeyPairSync, randomBytes, randomUUID, sign, type KeyObject } from 'node:crypto';
import { ceremonyHashOf, keyAttestationMessage } from '@countersign/core/attestation.js';
import { createEvidenceKeys, type EvidenceKeys } from '@countersign/core/evidence-key.js';
import {
  encodeAttestation,
  encodeCountersignature,
  encodeEvidenceEntry,
  encodeGenesis,
  GENESIS_PREV_HASH,
  type EntryRow,
} from '@countersign/vault/ledger/entry.js';
import { NEWEST_RULES } from '@countersign/vault/ledger/rules.js';
import { toHex } from '@countersign/core/bytes.js';
import { countersignatureMessage } from '@countersign/core/party-words.js';
import { ADMIN_POLICY_TYPES } from '@countersign/api/requests/admin-policy-types.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { addressOf } from '@countersign/chains/addresses.js';
import { deriveId, entryHash } from '@countersign/core/key-birth.js';
import { apiKeySha256 } from '@countersign/vault/authentication/user-secrets.js';
import { rawPublicKey } from '@countersign/dev/stack/prepare-vault.js';
import { signEvidence } from './many-users.js';

const ENTRIES_PER_WALLET = 4;
/** One entry in ten makes a user, the others wallets and their attestations. */
const ENTRIES_PER_USER = 10;

interface Author {
  readonly apiKey: string;
  readonly privateKey: KeyObject;
}

const keys = createEvidenceKeys([randomBytes(32)]);

export interface BuiltLedger {
  readonly keys: EvidenceKeys;
  readonly parties: readonly Party[];
  readonly rows: EntryRow[];
  /** Entries that are not countersignatures. */
  readonly changes: number;
  readonly wallets: number;
  readonly users: number;
}

/** `entries`: changes of the vault. `usersAlone`: no wallets, and a user for each entry but the first few. */
export function buildLedger(entries: number, { usersAlone = false } = {}): BuiltLedger {
  const rows: EntryRow[] = [];
  const parties = PARTY_NUMBERS.map((party) => ({ party, ...generateKeyPairSync('ed25519') }));
  const author = { apiKey: randomUUID(), privateKey: generateKeyPairSync('ed25519').privateKey };
  const startedAt = Date.now();
  let changes = 0;

  function appendRow(body: Buffer): EntryRow {
    const prevHash = rows.at(-1)?.hash ?? GENESIS_PREV_HASH;
    const seq = rows.length + 1;
    const row = { seq, prevHash, hash: entryHash(seq, prevHash, body), body };
    rows.push(row);
    return row;
  }
  /** A change, and the words of the two parties that judge it. */
  function append(body: Buffer): EntryRow {
    const row = appendRow(body);
    changes += 1;
    for (const party of parties.slice(0, 2)) {
      appendRow(countersignatureOf(startedAt, toHex(rows[0]!.hash), row, party));
    }
    return row;
  }
  const append1 = (path: string, body: unknown) =>
    append(encodeEvidenceEntry(startedAt, signEvidence(author, path, startedAt, body), keys));

  appendRow(genesisBody(startedAt, author, parties));
  const genesisHash = Buffer.from(rows[0]!.hash).toString('hex');
  const vaultId = deriveId(append1('/v1/vaults', { display_name: 'bench' }).hash, 'vault');
  appendPolicy(append1);
  let wallets = 0;
  let users = 0;
  while (changes + ENTRIES_PER_WALLET <= entries) {
    if (usersAlone || users * ENTRIES_PER_USER < changes) {
      users += 1;
      append1('/v1/users', {
        type: 'machine',
        display_name: `user ${users}`,
        public_key: rawPublicKey(author.privateKey).toString('base64url'),
      });
      continue;
    }
    wallets += 1;
    const created = append1(`/v1/vaults/${vaultId}/wallets`, { network_family: 'solana' });
    const names = { genesisHash, vaultId, keyId: deriveId(created.hash, 'key') };
    attestWallet(startedAt, names, parties).forEach(append);
  }
  return { keys, parties, rows, changes, wallets, users };
}

/** A rule that signatures can cite. */
function appendPolicy(append: (path: string, body: unknown) => EntryRow): void {
  const group = append('/v1/security-groups', { display_name: 'signers' });
  append('/v1/signing-policies', {
    display_name: 'signing',
    security_group_id: deriveId(group.hash, 'security-group'),
    rules: [
      {
        display_name: 'allow',
        when: { operations: ['raw_sign'], initiators: 'anyone' },
        then: 'allow',
      },
    ],
  });
}

/** The body of the entry with which a party says that it would judge everything up to this row, and this row, as it stands. */
export function countersignatureOf(
  at: number,
  genesisHash: string,
  { seq, hash }: Pick<EntryRow, 'seq' | 'hash'>,
  { party, privateKey }: Party,
): Buffer {
  const word = { party, seq, hash, at, rules: NEWEST_RULES, newestRules: NEWEST_RULES };
  const message = countersignatureMessage(word, genesisHash);
  return encodeCountersignature(at, { ...word, signature: sign(null, message, privateKey) });
}

export type Party = { readonly party: PartyNumber; readonly privateKey: KeyObject };

/** The bodies of the three entries that complete a wallet's key. */
export function attestWallet(
  at: number,
  names: { readonly genesisHash: string; readonly vaultId: string; readonly keyId: string },
  parties: readonly Party[],
): Buffer[] {
  const publicKey = randomBytes(32);
  const transcriptHash = randomBytes(32);
  const message = keyAttestationMessage({
    ...names,
    keyType: 'ed25519',
    publicKey,
    address: addressOf('solana', publicKey),
    ceremonyHash: ceremonyHashOf('bench', transcriptHash),
  });
  return parties.map(({ party, privateKey }) => {
    const signature = sign(null, message, privateKey);
    const { keyId } = names;
    const fact = { party, keyId, session: 'bench', publicKey, transcriptHash, signature };
    return encodeAttestation(at, fact);
  });
}

function genesisBody(at: number, author: Author, parties: readonly Party[]): Buffer {
  const userId = randomUUID();
  return encodeGenesis(at, {
    vault_id: randomUUID(),
    rules_version: 1,
    parties: parties.map(({ party, privateKey }) => ({
      party,
      identity_public_key: rawPublicKey(privateKey).toString('base64'),
      exchange_public_key: randomBytes(32).toString('base64'),
    })),
    evidence_key_ids: [...keys.ids],
    users: [
      {
        id: userId,
        display_name: 'author',
        public_key: rawPublicKey(author.privateKey).toString('base64'),
        api_key_sha256: apiKeySha256(author.apiKey),
      },
    ],
    admin_policies: ADMIN_POLICY_TYPES.map((action) => ({
      id: randomUUID(),
      display_name: action,
      action,
      user_ids: [userId],
    })),
  });
}
