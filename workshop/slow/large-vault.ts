/** A vault after years: users, wallets and audit entries by the thousand, written as its processes write them, without anybody having asked. */
import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readEvidenceKeys } from '@countersign/core/evidence-key.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { createLedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import { type EntryRow } from '@countersign/vault/ledger/entry.js';
import { encodeEvidenceEntry } from '@countersign/vault/ledger/write-entry.js';
import { deriveId } from '@countersign/core/entry-hash.js';
import pg from 'pg';
import { attestWallet, countersignatureOf, signEvidence, type Party } from './large-ledger.ts';
import type { PreparedVault } from '../../infra/dev/dist/stack/prepare-vault.js';
import { privateKeyOfSeed } from '../../test/support/ledger-builder.ts';
import { partySecret } from '../../test/support/secret-sweep.ts';
import { runSignerProgram } from '../../test/support/signer-programs.ts';
import { newMachineKey } from '../../test/support/test-vault.ts';
import type { TestServers } from '../../test/support/test-servers.ts';

export interface LargeSize {
  readonly users: number;
  readonly wallets: number;
  /** Each of a security group of its own. */
  readonly policies?: number;
  /** Of the ledger and of signatures together. */
  readonly auditEntries?: number;
  /** Signatures with all that their lead and its partner keep of them. */
  readonly storedRequests?: number;
}

export interface LargeVault {
  readonly vaultId: string;
  readonly userIds: readonly string[];
  readonly keyIds: readonly string[];
}

const AT_ONCE = 500;

/** Before any process of the vault has been started. `say`: how far it is. The parties then start as those that made it. */
export async function fillVault(
  { ownerUrl }: Pick<TestServers, 'ownerUrl'>,
  prepared: PreparedVault,
  { users, wallets, policies = 0, auditEntries = 0, storedRequests = 0 }: LargeSize,
  say: (what: string) => void,
): Promise<LargeVault> {
  const pool = new pg.Pool({ connectionString: prepared.roleUrls.gateway, max: 1 });
  const owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  try {
    const ledger = openLedger(pool, prepared);
    const write = ledgerWriter(ledger, prepared);
    const [vaultId = ''] = await write('/v1/vaults', 'vault', [{ display_name: 'Treasury' }]);
    const { publicKey } = newMachineKey();
    const userIds = await write(
      '/v1/users',
      'user',
      bodies(users, (index) => ({
        type: 'machine',
        display_name: `bot ${index}`,
        public_key: publicKey,
      })),
    );
    say(`${users} users`);
    const keyIds: string[] = [];
    for (let from = 0; from < wallets; from += AT_ONCE) {
      // as in a vault that is used: few keys are being made at a time
      const made = await write(
        `/v1/vaults/${vaultId}/wallets`,
        'key',
        bodies(Math.min(AT_ONCE, wallets - from), (index) => ({
          network_family: 'solana',
          display_name: `wallet ${from + index}`,
        })),
      );
      await attest(ledger, vaultId, made);
      keyIds.push(...made);
    }
    say(`${wallets} wallets`);
    await writePolicies(write, policies);
    say(`${policies} policies`);
    const large = { vaultId, userIds, keyIds };
    const { rows } = await owner.query<{ count: string }>('SELECT count(*) FROM ledger_entry');
    await recordSignatures(owner, auditEntries - Number(rows[0]!.count), large);
    say(`${auditEntries} audit entries`);
    await storeRequests(ownerUrl, storedRequests, large, say);
    say(`${storedRequests} stored requests`);
    await owner.query('ANALYZE');
    await Promise.all(PARTY_NUMBERS.map((party) => remember(prepared, party)));
    say('memories of the parties');
    return large;
  } finally {
    await owner.end();
    await pool.end();
  }
}

/** Whoever begins with a memory takes no request of the minutes around its making. */
const NOT_TAKEN_MS = 5 * 60_000;

/** A party that holds keys does not start without its memory. */
async function remember(prepared: PreparedVault, party: PartyNumber): Promise<void> {
  const args = ['--trust-database'];
  const program = 'recovery/remember';
  await runSignerProgram({ vault: { prepared }, party, program, args, behindMs: NOT_TAKEN_MS });
}

/** A ledger whose parties speak here. */
interface SpokenLedger {
  readonly genesisHash: string;
  readonly parties: readonly Party[];
  /**
   * Appends, and has two parties countersign it all: of what waits for them nodes keep ten thousand entries, and refuse
   * what comes after.
   */
  append(bodies: readonly Uint8Array[]): Promise<EntryRow[]>;
}

function openLedger(pool: pg.Pool, prepared: PreparedVault): SpokenLedger {
  const store = createLedgerStore(pool);
  const { genesis_hash: genesisHash } = JSON.parse(readFileSync(prepared.genesisFile, 'utf8')) as {
    genesis_hash: string;
  };
  const parties = PARTY_NUMBERS.map((party) => ({
    party,
    privateKey: privateKeyOfSeed(partySecret({ prepared }, party, 'identity')),
  }));
  return {
    genesisHash,
    parties,
    async append(bodiesOfEntries) {
      const rows = await store.append(bodiesOfEntries);
      const last = rows.at(-1);
      if (last === undefined) return rows;
      const wordOf = (party: Party) => countersignatureOf(Date.now(), genesisHash, last, party);
      await store.append(parties.slice(0, 2).map(wordOf));
      return rows;
    },
  };
}

function bodies(count: number, bodyOf: (index: number) => object): object[] {
  return Array.from({ length: count }, (_, index) => bodyOf(index));
}

type Write = (
  path: string,
  kind: Parameters<typeof deriveId>[1],
  asked: readonly object[],
) => Promise<readonly string[]>;

/** Signed requests of the administrator, one entry each; gives the ids of what they make. */
function ledgerWriter(ledger: SpokenLedger, { admin, evidenceKeyFile }: PreparedVault): Write {
  const keys = readEvidenceKeys(evidenceKeyFile);
  const privateKey = createPrivateKey(readFileSync(admin.private_key_file));
  const author = { apiKey: admin.api_key, privateKey };
  return async (path, kind, asked) => {
    const ids: string[] = [];
    for (let from = 0; from < asked.length; from += AT_ONCE) {
      const at = Date.now();
      const entries = asked
        .slice(from, from + AT_ONCE)
        .map((body) => encodeEvidenceEntry(at, signEvidence(author, path, at, body), keys));
      const rows = await ledger.append(entries);
      ids.push(...rows.map(({ hash }) => deriveId(hash, kind)));
    }
    return ids;
  };
}

/** What the three parties say of a key that they have made. */
async function attest(
  { genesisHash, parties, append }: SpokenLedger,
  vaultId: string,
  keyIds: readonly string[],
): Promise<void> {
  await append(
    keyIds.flatMap((keyId) => attestWallet(Date.now(), { genesisHash, vaultId, keyId }, parties)),
  );
}

/** None of them is about a key that anybody signs with. */
async function writePolicies(write: Write, count: number): Promise<void> {
  const groupIds = await write(
    '/v1/security-groups',
    'security-group',
    bodies(count, (index) => ({ display_name: `group ${index}` })),
  );
  await write(
    '/v1/signing-policies',
    'signing-policy',
    groupIds.map((groupId, index) => ({
      display_name: `policy ${index}`,
      security_group_id: groupId,
      rules: [
        {
          display_name: 'allow',
          when: { operations: ['raw_sign'], initiators: 'anyone' },
          then: 'allow',
        },
      ],
    })),
  );
}

/** One a second up to now, one in fifty denied. */
async function recordSignatures(
  owner: pg.Client,
  count: number,
  { vaultId, userIds, keyIds }: LargeVault,
): Promise<void> {
  await owner.query(
    `INSERT INTO party_1.sign_record (chain_id, seq, prev_hash, hash, at, request_id, role, outcome,
       action, actor, vault_id, wallet_address, key_id, message_sha256, policy, ledger_seq, parties, reason)
     SELECT 'large', n, decode(md5('a' || n) || md5('b' || n), 'hex'),
       decode(md5('c' || n) || md5('d' || n), 'hex'), now() - ($1 - n) * interval '1 second',
       gen_random_uuid(), 'lead', CASE WHEN n % 50 = 0 THEN 'denied' ELSE 'signed' END,
       'raw-sign-with-wallet', ($2::uuid[])[1 + n % $3], $6, 'wallet' || n % $5, ($4::uuid[])[1 + n % $5],
       decode(md5('e' || n) || md5('f' || n), 'hex'), NULL, 1, '1,2',
       CASE WHEN n % 50 = 0 THEN 'no signing policy rule allows this request' END
     FROM generate_series(1, $1) AS n`,
    [count, userIds, userIds.length, keyIds, keyIds.length, vaultId],
  );
}

const STORED_AT_ONCE = 500_000;
const REQUESTS_OF = ['request_result', 'party_1.request_message', 'party_1.sign_record'];
const PARTNERS_OF = ['party_2.request_message', 'party_2.sign_record'];

/** Of each signature a result, and what party 1 as its lead and party 2 as its partner keep: as much of it, with other bytes. */
async function storeRequests(
  ownerUrl: string,
  count: number,
  large: LargeVault,
  say: (what: string) => void,
): Promise<void> {
  if (count === 0) return;
  await Promise.all(
    [REQUESTS_OF, PARTNERS_OF].map(async (tables) => {
      const owner = new pg.Client({ connectionString: ownerUrl });
      await owner.connect();
      try {
        await owner.query("SET synchronous_commit = off; SET maintenance_work_mem = '512MB'");
        for (const table of tables) {
          const restore = await takeIndexes(owner, table);
          for (let from = 0; from < count; from += STORED_AT_ONCE) {
            const until = Math.min(from + STORED_AT_ONCE, count);
            await storeInto(owner, table, { from, until, count }, large);
          }
          say(`${table} without indexes`);
          await restore();
          // else it would be vacuumed in the midst of what is measured
          await owner.query(`VACUUM (ANALYZE) ${table}`);
          say(table);
        }
      } finally {
        await owner.end();
      }
    }),
  );
}

/**
 * Row by row an index by digests takes hours. Made at once it is as full as one that grew: two thirds by digests, nine tenths
 * by what rises.
 */
async function takeIndexes(owner: pg.Client, table: string): Promise<() => Promise<void>> {
  const { rows } = await owner.query<{ name: string; definition: string; key: string | null }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition,
       (SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conindid = indexrelid AND contype = 'p') AS key
     FROM pg_index WHERE indrelid = $1::regclass`,
    [table],
  );
  for (const { name, key } of rows) {
    await owner.query(
      key === null
        ? `DROP INDEX ${name}`
        : `ALTER TABLE ${table} DROP CONSTRAINT ${name.split('.').at(-1)}`,
    );
  }
  return async () => {
    for (const { name, definition, key } of rows) {
      const isByDigest = definition.includes('(request_id');
      const fill = isByDigest ? ' WITH (fillfactor = 69)' : '';
      const made =
        key === null
          ? definition.replace(/( WHERE .*)?$/, `${fill}$1`)
          : `ALTER TABLE ${table} ADD CONSTRAINT ${name.split('.').at(-1)} ${key}${fill}`;
      await owner.query(made);
      if (isByDigest) await owner.query(`ALTER INDEX ${name} RESET (fillfactor)`);
    }
  };
}

async function storeInto(
  owner: pg.Client,
  table: string,
  { from, until, count }: { from: number; until: number; count: number },
  { vaultId, userIds, keyIds }: LargeVault,
): Promise<void> {
  const [, party = ''] = /^party_(\d)\./.exec(table) ?? [];
  const stored = `(SELECT n, md5('request' || n)::uuid AS id, now() - (${count} - n) * interval '0.1 second' AS at
    FROM generate_series(${from + 1}::bigint, ${until}) AS n) AS stored`;
  if (table === 'request_result') {
    await owner.query(
      `INSERT INTO request_result (request_id, operation, created_by, received_at, completed_at, lead, outcome, payload, evidence)
       SELECT id, 'raw-sign-with-wallet', ($1::uuid[])[1 + n % $2], at, at, 1, 'signed',
         decode(repeat(md5('p' || n), 20), 'hex'), decode(repeat(md5('e' || n), 30), 'hex') FROM ${stored}`,
      [userIds, userIds.length],
    );
  } else if (table.endsWith('request_message')) {
    await owner.query(
      `INSERT INTO ${table} (request_id, signed_at, nonce, message_sha256, asked_at)
       SELECT id, n, n, decode(md5('m' || n) || md5('n' || n), 'hex'), extract(epoch FROM at) * 1000 FROM ${stored}`,
    );
  } else {
    const [role, outcome] = party === '1' ? ['lead', 'signed'] : ['partner', 'contributed'];
    await owner.query(
      `INSERT INTO ${table} (chain_id, seq, prev_hash, hash, at, request_id, role, outcome,
         action, actor, vault_id, wallet_address, key_id, message_sha256, policy, ledger_seq, parties, reason)
       SELECT 'stored', n, decode(md5('a' || n) || md5('b' || n), 'hex'), decode(md5('c' || n) || md5('d' || n), 'hex'),
         at, id, $1, $2, 'raw-sign-with-wallet', ($3::uuid[])[1 + n % $4], $7, 'wallet' || n % $6,
         ($5::uuid[])[1 + n % $6], decode(md5('m' || n) || md5('n' || n), 'hex'), NULL, 1, '1,2', NULL FROM ${stored}`,
      [role, outcome, userIds, userIds.length, keyIds, keyIds.length, vaultId],
    );
  }
}
