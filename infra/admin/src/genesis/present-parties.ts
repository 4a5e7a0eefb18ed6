/** What to pin once a party was replaced: the keys in force, and those that parties had before. */
import { readEvidenceKeys } from '@countersign/core/evidence-key.js';
import type { FormerParty, PartyIdentity } from '@countersign/core/parties.js';
import { createLedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import { readRows } from '@countersign/runtime/ledger/read-rows.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import pg from 'pg';
import type { GenesisPin } from './genesis-pin.js';

/**
 * The parties of the pinned ledger as its last entry leaves them. Whoever owns the database may show an older end of
 * it: compare with what an operator of a party prints.
 */
export async function withPresentParties(
  databaseUrl: string,
  pin: GenesisPin,
  evidenceKeyFile: string,
): Promise<GenesisPin> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  try {
    const fold = createFold({ keys: readEvidenceKeys(evidenceKeyFile) });
    const rows = readRows(createLedgerStore(pool), 0, Number.MAX_SAFE_INTEGER);
    for await (const page of rows) fold.advance(page);
    const { genesisHash, parties, formerParties = [] } = fold.view.state;
    if (genesisHash !== pin.genesis_hash) throw new Error('the ledger has another genesis');
    return { ...pin, parties: parties.map(viewOf), former: formerParties.map(formerView) };
  } finally {
    await pool.end();
  }
}

function formerView({ until, replacedAt: _time, ...identity }: FormerParty) {
  return { ...viewOf(identity), until_seq: until };
}

function viewOf({ party, identityPublicKey, exchangePublicKey }: PartyIdentity) {
  return {
    party,
    identity_public_key: identityPublicKey,
    exchange_public_key: exchangePublicKey,
  };
}
