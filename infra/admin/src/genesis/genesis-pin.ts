import { toHex, type Bytes } from '@countersign/core/bytes.js';
import { entryHash } from '@countersign/core/entry-hash.js';
import { GENESIS_PREV_HASH, type Genesis } from '@countersign/vault/ledger/entry.js';

/** What nodes and clients pin: which vault it is, and whose words count in it. */
export interface GenesisPin {
  /** Hex. */
  readonly genesis_hash: string;
  readonly vault_id: string;
  readonly parties: Genesis['parties'];
  /** Keys of parties that were replaced, the oldest first. Absent where nobody looked. */
  readonly former?: readonly (Genesis['parties'][number] & { readonly until_seq: number })[];
}

/** Computed from the entry's body: a database is not asked for it. */
export function pinOf(genesis: Genesis, body: Bytes): GenesisPin {
  return {
    genesis_hash: toHex(entryHash(1, GENESIS_PREV_HASH, body)),
    vault_id: genesis.vault_id,
    parties: genesis.parties,
  };
}
