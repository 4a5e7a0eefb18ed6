/** The genesis as a client would pin it: read from the ledger itself, not asked from the gateway. */
import type { PartyIdentity } from '@countersign/core/parties.js';
import { readGenesis as readGenesisEntry } from '../../infra/admin/dist/genesis/read-genesis.js';
import type { VaultInUse } from './test-vault.ts';

export interface PinnedGenesis {
  readonly genesisHash: string;
  readonly parties: readonly PartyIdentity[];
}

export async function readGenesis(vault: VaultInUse): Promise<PinnedGenesis> {
  const { genesisHash, genesis } = await readGenesisEntry(vault.servers.ownerUrl);
  const parties = genesis.parties.map((party) => ({
    party: party.party,
    identityPublicKey: party.identity_public_key,
    exchangePublicKey: party.exchange_public_key,
  }));
  return { genesisHash, parties };
}
