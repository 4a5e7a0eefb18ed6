/** The genesis as a client would pin it: read from the ledger itself, not asked from the gateway. */
import type { PartyIdentity } from '@countersign/core/parties.js';
import { readGenesisPin } from '../../infra/admin/dist/genesis/read-genesis.js';
import type { VaultInUse } from './test-vault.ts';

export interface PinnedGenesis {
  readonly genesisHash: string;
  readonly parties: readonly PartyIdentity[];
}

export async function readGenesis(vault: VaultInUse): Promise<PinnedGenesis> {
  const pin = await readGenesisPin(vault.servers.ownerUrl);
  const parties = pin.parties.map((party) => ({
    party: party.party,
    identityPublicKey: party.identity_public_key,
    exchangePublicKey: party.exchange_public_key,
  }));
  return { genesisHash: pin.genesis_hash, parties };
}
