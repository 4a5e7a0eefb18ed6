/** A party's backup holds all that its host has and the database has not, and its shares. */
import { readFileSync } from 'node:fs';
import { openPinFile } from '@countersign/runtime/ledger/ledger-pin.js';
import { ConfigError } from '@countersign/runtime/process/config.js';
import { requireNoRotation } from '../../party/party-keys.js';
import { openKek } from '../kek/open-kek.js';
import { isReadable, readShares } from './backed-up-shares.js';
import { readKeyFiles, signAsParty } from './own-keys.js';
import { encodeBackup, type BackedUpShare } from './party-backup.js';
import { sealForRecovery, type RecoveryBox } from './recovery-box.js';
import type { PartyPlace } from './restore-party.js';

export interface MadeBackup {
  readonly box: RecoveryBox;
  /** How many shares it has. */
  readonly shares: number;
  /** Names rows of shares that do not open under the party's KEK: the backup does not have them. */
  readonly unreadable: readonly string[];
}

/**
 * `recipients`: public halves of recovery keys, of which `threshold` open the backup; `now`: ms. The party may run
 * meanwhile. Throws where the party has no pin, its keys do not open, or a rotation of its KEK was begun.
 */
export async function backUpParty(
  { party, keys, evidenceKeyFile, pinFile, genesisHash, pool }: PartyPlace,
  recipients: readonly string[],
  threshold: number,
  now: number,
): Promise<MadeBackup> {
  requireNoRotation(keys);
  const pin = await openPinFile(pinFile).read();
  if (pin === undefined) throw new ConfigError(`${pinFile}: there is no such file`);
  if (pin.genesisHash !== genesisHash) throw new ConfigError(`${pinFile}: of another vault`);
  const own = { files: keys, party, kek: await openKek(keys.kek, party) };
  const shares: BackedUpShare[] = [];
  const unreadable: string[] = [];
  for (const share of await readShares(pool, party)) {
    if (await isReadable(own, share)) shares.push(share);
    else unreadable.push(`key_share ${share.key_id} ${share.session}`);
  }
  const content = {
    party,
    genesis_hash: genesisHash,
    made_at: new Date(now).toISOString(),
    ledger_head: { seq: pin.seq, hash: pin.hash },
    key_folder: readKeyFiles(own),
    evidence_keys: readFileSync(evidenceKeyFile, 'utf8'),
    shares,
  };
  const signed = encodeBackup(content, (message) => signAsParty(own, message));
  const box = await sealForRecovery(signed, recipients, threshold);
  return { box, shares: shares.length, unreadable };
}
