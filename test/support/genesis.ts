/** The genesis as a client would pin it: read from the ledger itself, not asked from the gateway. */
import pg from 'pg';
import { toHex } from '@countersign/shared/bytes.js';
import { decodeEntryBody } from '@countersign/shared/ledger/entry.js';
import { createLedgerStore } from '@countersign/shared/ledger/ledger-store.js';
import type { PartyIdentity } from '@countersign/shared/ledger/state.js';
import type { TestVault } from './test-vault.ts';

export interface PinnedGenesis {
  readonly genesisHash: string;
  readonly parties: readonly PartyIdentity[];
}

export async function readGenesis(vault: TestVault): Promise<PinnedGenesis> {
  const pool = new pg.Pool({ connectionString: vault.servers.ownerUrl, max: 1 });
  try {
    const [row] = await createLedgerStore(pool).readAfter(0, 1);
    const { content } = decodeEntryBody(row!.body);
    if (content.kind !== 'genesis') throw new Error('the first entry is no genesis');
    const parties = content.genesis.parties.map((party) => ({
      party: party.party,
      identityPublicKey: party.identity_public_key,
      exchangePublicKey: party.exchange_public_key,
    }));
    return { genesisHash: toHex(row!.hash), parties };
  } finally {
    await pool.end();
  }
}
