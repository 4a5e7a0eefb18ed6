/**
 * Folds a ledger of its own making from scratch and prints the time and the memory as JSON. Run with
 * `--expose-gc`: `node --expose-gc fold-program.js <entries>`.
 */
import { generateKeyPairSync, randomBytes, randomUUID, sign, type KeyObject } from 'node:crypto';
import { ceremonyHashOf, keyAttestationMessage } from '@countersign/core/attestation.js';
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import {
  encodeAttestation,
  encodeEvidenceEntry,
  encodeGenesis,
  entryHash,
  GENESIS_PREV_HASH,
  type EntryRow,
} from '@countersign/vault/ledger/entry.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import { ADMIN_POLICY_TYPES } from '@countersign/api/admin-policy-types.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { addressOf } from '@countersign/chains/addresses.js';
import { deriveId } from '@countersign/vault/operations/ledger-operation.js';
import { apiKeySha256 } from '@countersign/vault/authentication/user-secrets.js';
import { rawPublicKey } from '../stack/prepare-vault.js';
import { signEvidence } from './many-users.js';

export interface FoldMeasurement {
  readonly entries: number;
  readonly wallets: number;
  readonly users: number;
  readonly seconds: number;
  /** Heap that the folded state keeps, by its wallets: users and journal are counted in. */
  readonly heapMbPer1000Wallets: number;
}

const ENTRIES_PER_WALLET = 4;
/** One entry in ten makes a user, the others wallets and their attestations. */
const ENTRIES_PER_USER = 10;
const PAGE = 500;

interface Author {
  readonly apiKey: string;
  readonly privateKey: KeyObject;
}

const keys = createEvidenceKeys([randomBytes(32)]);

function buildLedger(entries: number): { rows: EntryRow[]; wallets: number; users: number } {
  const rows: EntryRow[] = [];
  const parties = PARTY_NUMBERS.map((party) => ({ party, ...generateKeyPairSync('ed25519') }));
  const author = { apiKey: randomUUID(), privateKey: generateKeyPairSync('ed25519').privateKey };
  const startedAt = Date.now();

  function append(body: Buffer): EntryRow {
    const prevHash = rows.at(-1)?.hash ?? GENESIS_PREV_HASH;
    const seq = rows.length + 1;
    const row = { seq, prevHash, hash: entryHash(seq, prevHash, body), body };
    rows.push(row);
    return row;
  }
  const append1 = (path: string, body: unknown) =>
    append(encodeEvidenceEntry(startedAt, signEvidence(author, path, startedAt, body), keys));

  append(genesisBody(startedAt, author, parties));
  const genesisHash = Buffer.from(rows[0]!.hash).toString('hex');
  const vaultId = deriveId(append1('/v1/vaults', { display_name: 'bench' }).hash, 'vault');
  let wallets = 0;
  let users = 0;
  while (rows.length + ENTRIES_PER_WALLET <= entries) {
    if (users * ENTRIES_PER_USER < rows.length) {
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
    const keyId = deriveId(created.hash, 'key');
    const publicKey = randomBytes(32);
    const transcriptHash = randomBytes(32);
    const message = keyAttestationMessage({
      genesisHash,
      vaultId,
      keyId,
      keyType: 'ed25519',
      publicKey,
      address: addressOf('solana', publicKey),
      ceremonyHash: ceremonyHashOf('bench', transcriptHash),
    });
    for (const { party, privateKey } of parties) {
      const signature = sign(null, message, privateKey);
      const fact = { party, keyId, session: 'bench', publicKey, transcriptHash, signature };
      append(encodeAttestation(startedAt, fact));
    }
  }
  return { rows, wallets, users };
}

function genesisBody(
  at: number,
  author: Author,
  parties: readonly { party: PartyNumber; privateKey: KeyObject }[],
): Buffer {
  const userId = randomUUID();
  return encodeGenesis(at, {
    vault_id: randomUUID(),
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

function heapUsed(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

function measure(entries: number): FoldMeasurement {
  const { rows, wallets, users } = buildLedger(entries);
  const heapBefore = heapUsed();
  const fold = createFold(keys);
  const startedAt = performance.now();
  for (let at = 0; at < rows.length; at += PAGE) fold.advance(rows.slice(at, at + PAGE));
  const seconds = (performance.now() - startedAt) / 1_000;
  const heapMb = (heapUsed() - heapBefore) / 1e6;
  const active = fold.state.keys.rows.count((key) => key.status === 'active');
  if (active !== wallets || fold.state.users.rows.size !== users + 1) {
    throw new Error(`the fold holds ${active} keys of ${wallets}`);
  }
  return {
    entries: rows.length,
    wallets,
    users,
    seconds,
    heapMbPer1000Wallets: (heapMb / wallets) * 1_000,
  };
}

process.stdout.write(JSON.stringify(measure(Number(process.argv[2]))) + '\n');
