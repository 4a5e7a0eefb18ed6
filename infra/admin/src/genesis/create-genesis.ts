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

/** Throws when the ledger has any entry. Every first user gets every administrative right. */
export async function createGenesis(
  databaseUrl: string,
  start: {
    readonly parties: readonly PartyPublicKeys[];
    /** Those that gateways and parties hold: hex ids. */
    readonly evidenceKeyIds: readonly string[];
    readonly firstUsers: readonly FirstUser[];
    /** Where people's passkeys belong, for good. Absent: people cannot enrol. */
    readonly passkeys?: Genesis['passkeys'];
  },
): Promise<CreatedGenesis> {
  const { parties, firstUsers } = start;
  if (parties.length !== 3) throw new Error('a vault has three parties');
  if (firstUsers.length === 0) throw new Error('a vault needs a first user');
  const users = firstUsers.map((user) => ({ ...user, id: randomUUID(), apiKey: randomUUID() }));
  const genesis: Genesis = {
    rules_version: NEWEST_RULES,
    vault_id: randomUUID(),
    ...(start.passkeys !== undefined && { passkeys: start.passkeys }),
    parties: PARTY_NUMBERS.map((party, index) => ({ party, ...parties[index]! })),
    evidence_key_ids: [...start.evidenceKeyIds],
    users: users.map((user) => ({
      id: user.id,
      display_name: user.displayName,
      public_key: user.publicKey,
      api_key_sha256: apiKeySha256(user.apiKey),
    })),
    admin_policies: ADMIN_POLICY_TYPES.map((action) => ({
      id: randomUUID(),
      display_name: `genesis: ${action}`,
      action,
      user_ids: users.map((user) => user.id),
    })),
  };
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  try {
    const store = createLedgerStore(pool);
    if ((await store.readAfter(0, 1)).length > 0) throw new Error('the ledger has its genesis');
    const body = encodeGenesis(Date.now(), genesis);
    const [row] = await store.append([body]);
    if (row === undefined || row.seq !== 1) throw new Error('another genesis came first');
    return {
      pin: pinOf(genesis, body),
      users: users.map(({ id, apiKey }) => ({ userId: id, apiKey })),
    };
  } finally {
    await pool.end();
  }
}
