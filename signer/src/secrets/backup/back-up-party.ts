/** A party's backup holds all that its host has and the database has not, and its shares. */
import { readFileSync } from 'node:fs';
import { openPinFile } from '@countersign/runtime/ledger/ledger-pin.js';
import { ConfigError } from '@countersign/runtime/process/config.js';
import { openKek } from '../kek/open-kek.js';
import { readShares } from './backed-up-shares.js';
import { readKeyFiles, signAsParty } from './own-keys.js';
import { encodeBackup } from './party-backup.js';
import { sealForRecovery, type RecoveryBox } from './recovery-box.js';
import type { PartyPlace } from './restore-party.js';

/**
 * `recipients`: public halves of recovery keys, of which `threshold` open the backup; `now`: ms. The party may run
 * meanwhile. Throws where the party has no pin, or its keys do not open.
 */
export async function backUpParty(
  { party, keys, evidenceKeyFile, pinFile, genesisHash, pool }: PartyPlace,
  recipients: readonly string[],
  threshold: number,
  now: number,
): Promise<{ readonly box: RecoveryBox; readonly shares: number }> {
  const pin = await openPinFile(pinFile).read();
  if (pin === undefined) throw new ConfigError(`${pinFile}: there is no such file`);
  if (pin.genesisHash !== genesisHash) throw new ConfigError(`${pinFile}: of another vault`);
  const own = { files: keys, party, kek: await openKek(keys.kek, party) };
  const content = {
    party,
    genesis_hash: genesisHash,
    made_at: new Date(now).toISOString(),
    ledger_head: { seq: pin.seq, hash: pin.hash },
    key_folder: readKeyFiles(own),
    evidence_keys: readFileSync(evidenceKeyFile, 'utf8'),
    shares: await readShares(pool, party),
  };
  const signed = encodeBackup(content, (message) => signAsParty(own, message));
  const box = await sealForRecovery(signed, recipients, threshold);
  return { box, shares: content.shares.length };
}
