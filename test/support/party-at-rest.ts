/** A party that stands still: its files in a folder of its own, and shares in its schema of a real database. */
import { randomBytes, randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPinFile } from '@countersign/runtime/ledger/ledger-pin.js';
import pg from 'pg';
import { partyKeyFiles, type PartyKeyFiles } from '../../signer/src/party/party-keys.js';
import type { PartyPlace } from '../../signer/src/secrets/backup/restore-party.js';
import { openKek } from '../../signer/src/secrets/kek/open-kek.js';
import { openShare, sealShare } from '../../signer/src/secrets/sealing/share-seal.js';
import { openPrepared } from './prepared-vault.ts';
import { openTestServers } from './test-servers.ts';

export interface ShareRow {
  readonly key_id: string;
  readonly session: string;
  readonly scheme: string;
  readonly version: number;
  readonly kek_id: string;
  readonly wrapped_dek: Buffer;
  readonly sealed: Buffer;
  readonly created_at: Date;
}

export interface PartyAtRest {
  readonly owner: pg.Pool;
  /** Its role's. */
  readonly url: string;
  readonly pool: pg.Pool;
  /** Another host of the party, with a copy of its first files. Its shares are deleted. */
  newHost(): Promise<PartyPlace>;
  /** Where a restore may put it. */
  emptyHost(): PartyPlace;
  /** Seals a new share under the KEK of the first files, and returns its row. */
  addShare(): Promise<ShareRow>;
  rows(): Promise<ShareRow[]>;
  /** Changes one byte in the database. */
  damage(row: ShareRow, column: 'wrapped_dek' | 'sealed'): Promise<void>;
  /** Names the keys whose share opens under a KEK. */
  readable(kekFile: string): Promise<string[]>;
  close(): Promise<void>;
}

const PARTY = 1;
const contextOf = ({
  key_id: keyId,
  scheme,
  version,
}: Pick<ShareRow, 'key_id' | 'scheme' | 'version'>) =>
  ({ purpose: 'key share', keyId, party: PARTY, scheme, version }) as const;

export async function openPartyAtRest(): Promise<PartyAtRest> {
  const servers = await openTestServers('vault');
  const prepared = await openPrepared(servers);
  const owner = new pg.Pool({ connectionString: servers.ownerUrl, max: 1 });
  const pool = new pg.Pool({ connectionString: servers.roleUrls.party_1, max: 2 });
  const { genesis_hash: genesisHash } = JSON.parse(readFileSync(prepared.genesisFile, 'utf8')) as {
    genesis_hash: string;
  };
  const first = prepared.keyDir(PARTY);
  const emptyHost = (): PartyPlace => {
    const home = mkdtempSync(join(servers.home, 'host-'));
    return {
      ...{ party: PARTY, genesisHash, pool },
      keys: partyKeyFiles(join(home, 'keys')),
      evidenceKeyFile: join(home, 'evidence.key'),
      pinFile: join(home, 'pin.json'),
    };
  };
  const rows = async () =>
    (await owner.query<ShareRow>('SELECT * FROM party_1.key_share ORDER BY created_at')).rows;
  return {
    ...{ owner, url: servers.roleUrls.party_1, pool, emptyHost, rows },
    async newHost() {
      await owner.query('DELETE FROM party_1.key_share');
      return copyHost(emptyHost(), first, prepared.evidenceKeyFile);
    },
    async addShare() {
      const row = await sealRow(partyKeyFiles(first));
      await owner.query(
        'INSERT INTO party_1.key_share VALUES ($1, $2, $3, $4, $5, $6, $7, $8)',
        Object.values(row),
      );
      return row;
    },
    async damage(row, column) {
      await owner.query(
        `UPDATE party_1.key_share SET ${column} = set_byte(${column}, 20, get_byte(${column}, 20) # 1)
         WHERE key_id = $1`,
        [row.key_id],
      );
    },
    async readable(kekFile) {
      const kek = await openKek(kekFile, PARTY);
      const opened: string[] = [];
      for (const row of await rows()) {
        const share = { kek, aad: contextOf(row), wrappedDek: row.wrapped_dek, sealed: row.sealed };
        const opens = await openShare(share).then(
          () => true,
          () => false,
        );
        if (opens) opened.push(row.key_id);
      }
      return opened;
    },
    async close() {
      for (const one of [owner, pool]) await one.end();
      await servers.close();
    },
  };
}

async function copyHost(
  place: PartyPlace,
  folder: string,
  evidenceKeyFile: string,
): Promise<PartyPlace> {
  cpSync(folder, join(place.keys.kek, '..'), { recursive: true });
  cpSync(evidenceKeyFile, place.evidenceKeyFile);
  const pin = openPinFile(place.pinFile);
  await pin.read();
  await pin.write({ genesisHash: place.genesisHash, seq: 1, hash: place.genesisHash });
  return place;
}

async function sealRow(files: PartyKeyFiles): Promise<ShareRow> {
  const kek = await openKek(files.kek, PARTY);
  const row = {
    ...{ key_id: randomUUID(), session: randomBytes(16).toString('hex') },
    ...{ scheme: 'frost-ed25519', version: 1, kek_id: kek.id },
  };
  const share = await sealShare({ kek, aad: contextOf(row), secret: randomBytes(162) });
  const sealed = Buffer.from(share.sealed);
  return { ...row, wrapped_dek: Buffer.from(share.wrappedDek), sealed, created_at: new Date() };
}
