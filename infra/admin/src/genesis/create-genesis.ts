/** The first entry of the ledger: vault id, the parties' identities, first users, first policies. */
import { randomUUID } from 'node:crypto';
import { type Genesis } from '@countersign/vault/ledger/entry.js';
import { encodeGenesis } from '@countersign/vault/ledger/write-entry.js';
import { createLedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import { NEWEST_RULES } from '@countersign/vault/ledger/rules.js';
import { ADMIN_POLICY_TYPES } from '@countersign/api/requests/admin-policy-types.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { apiKeySha256 } from '@countersign/vault/authentication/user-secrets.js';
import { pinOf, type GenesisPin } from './genesis-pin.js';
import pg from 'pg';

export interface PartyPublicKeys {
  readonly identity_public_key: string;
  readonly exchange_public_key: string;
}

export interface FirstUser {
  readonly displayName: string;
  /** Ed25519, 32 bytes, base64. */
  readonly publicKey: string;
}

export interface CreatedGenesis {
  /** What nodes and clients pin. */
  readonly pin: GenesisPin;
  /** In the order given. The API keys are told here and nowhere else. */
  readonly users: readonly { readonly userId: string; readonly apiKey: string }[];
}

/** The genesis was sent, and the database did not say that it took it: it may be in force. */
export class DoubtfulGenesisError extends Error {
  readonly genesisHash: string;

  constructor(genesisHash: string, options: ErrorOptions) {
    super(`whether the genesis ${genesisHash} is in force is not known`, options);
    this.genesisHash = genesisHash;
  }
}

export interface VaultStart {
  readonly parties: readonly PartyPublicKeys[];
  /** Those that gateways and parties hold: hex ids. */
  readonly evidenceKeyIds: readonly string[];
  readonly firstUsers: readonly FirstUser[];
  /** Where people's passkeys belong, for good. Absent: people cannot enrol. */
  readonly passkeys?: Genesis['passkeys'];
}

/**
 * Throws when the ledger has any entry. Every first user gets every administrative right. `keep` is called before the
 * genesis is sent, and is to keep the API keys for good: once it is in force nobody makes others.
 */
export async function createGenesis(
  databaseUrl: string,
  start: VaultStart,
  keep: (made: CreatedGenesis) => void | Promise<void> = () => undefined,
): Promise<CreatedGenesis> {
  const { genesis, users } = makeGenesis(start);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  try {
    const store = createLedgerStore(pool);
    if ((await store.readAfter(0, 1)).length > 0) throw new Error('the ledger has its genesis');
    const body = encodeGenesis(Date.now(), genesis);
    const made = { pin: pinOf(genesis, body), users };
    await keep(made);
    const [row] = await store.append([body]).catch((cause: unknown) => {
      throw new DoubtfulGenesisError(made.pin.genesis_hash, { cause });
    });
    if (row === undefined || row.seq !== 1)
      throw new Error('another genesis came first: this one is of no use');
    return made;
  } finally {
    await pool.end();
  }
}

function makeGenesis({
  parties,
  firstUsers,
  evidenceKeyIds,
  passkeys,
}: VaultStart): Pick<CreatedGenesis, 'users'> & { readonly genesis: Genesis } {
  if (parties.length !== 3) throw new Error('a vault has three parties');
  if (firstUsers.length === 0) throw new Error('a vault needs a first user');
  const users = firstUsers.map((user) => ({ ...user, userId: randomUUID(), apiKey: randomUUID() }));
  const genesis: Genesis = {
    rules_version: NEWEST_RULES,
    vault_id: randomUUID(),
    ...(passkeys !== undefined && { passkeys }),
    parties: PARTY_NUMBERS.map((party, index) => ({ party, ...parties[index]! })),
    evidence_key_ids: [...evidenceKeyIds],
    users: users.map((user) => ({
      id: user.userId,
      display_name: user.displayName,
      public_key: user.publicKey,
      api_key_sha256: apiKeySha256(user.apiKey),
    })),
    admin_policies: ADMIN_POLICY_TYPES.map((action) => ({
      id: randomUUID(),
      display_name: `genesis: ${action}`,
      action,
      user_ids: users.map(({ userId }) => userId),
    })),
  };
  return { genesis, users: users.map(({ userId, apiKey }) => ({ userId, apiKey })) };
}
