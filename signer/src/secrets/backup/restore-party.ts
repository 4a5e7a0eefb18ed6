/** Restores a party from its backup, on a host that has nothing of it. */
import { existsSync, readFileSync } from 'node:fs';
import { parseEvidenceKeys, readEvidenceKeys } from '@countersign/core/evidence-key.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { LedgerPin } from '@countersign/runtime/ledger/ledger-pin.js';
import { createLedgerStore, type LedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import { ConfigError } from '@countersign/runtime/process/config.js';
import { createDurably } from '@countersign/runtime/process/create-durably.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import type pg from 'pg';
import type { PartyKeyFiles } from '../../party/party-keys.js';
import { readKnownHistory } from '../../recovery/known-history.js';
import { refuseMemory, writeMemory } from '../../recovery/party-memory.js';
import { openKekIn } from '../kek/open-kek.js';
import { restoreShares, type RestoredShares } from './backed-up-shares.js';
import { decodeBackup, type PartyBackup } from './party-backup.js';
import { openRecoveryBox, recoveryBoxSchema } from './recovery-box.js';

/** Where the party is to live. */
export interface PartyPlace {
  readonly party: PartyNumber;
  readonly keys: PartyKeyFiles;
  readonly evidenceKeyFile: string;
  readonly pinFile: string;
  /** Hex, given by the operator. */
  readonly genesisHash: string;
  /** As the role of the party. */
  readonly pool: pg.Pool;
}

export interface Restored extends RestoredShares {
  readonly backup: PartyBackup;
  readonly head: LedgerPin;
}

/**
 * Checks everything before it writes anything: this party of this vault must have made the backup, and the database's
 * ledger must lead through what the backup and the other nodes' pins remember. Throws where the host has keys or a pin
 * of the party.
 */
export async function restoreParty(
  place: PartyPlace,
  {
    box,
    secrets,
    pins,
  }: {
    /** The backup as it was read. */
    readonly box: unknown;
    /** Recovery keys. */
    readonly secrets: readonly string[];
    /** Of other nodes. */
    readonly pins: readonly LedgerPin[];
  },
): Promise<Restored> {
  refuseParty(place);
  const store = createLedgerStore(place.pool);
  const opened = await openRecoveryBox(recoveryBoxSchema.parse(box), secrets);
  const { backup, requireSigned } = decodeBackup(opened);
  if (backup.party !== place.party) {
    throw new ConfigError(`this is a backup of party ${backup.party}`);
  }
  const remembered = { genesisHash: backup.genesis_hash, ...backup.ledger_head };
  const { head, state } = await foldLedger(place, backup, [remembered, ...pins], store);
  requireSigned(identityOf(state, backup.party));
  const { party } = place;
  const kek = await openKekIn(
    Buffer.from(backup.key_folder.kek, 'base64'),
    party,
    'the KEK of the backup',
  );
  const shares = await restoreShares(place.pool, { party, kek }, state, backup.shares);
  writeKeys(place, backup);
  await writeMemory(place.pinFile, head, Date.now());
  return { backup, head, ...shares };
}

function refuseParty({ keys, pinFile }: PartyPlace): void {
  refuseMemory(pinFile);
  const there = Object.values(keys).find((path) => existsSync(path));
  if (there !== undefined) throw new ConfigError(`${there} is there: nothing is written over it`);
}

/** Raw Ed25519 public key. A party that was replaced has another, and what was its backup is worth nothing. */
function identityOf({ parties }: VaultState, party: PartyNumber): Buffer {
  const row = parties.find((one) => one.party === party);
  return Buffer.from(row?.identityPublicKey ?? '', 'base64');
}

async function foldLedger(
  { evidenceKeyFile, genesisHash }: PartyPlace,
  backup: PartyBackup,
  pins: readonly LedgerPin[],
  store: Pick<LedgerStore, 'readAfter'>,
): Promise<{ readonly head: LedgerPin; readonly state: VaultState }> {
  // an existing file may have keys that came after the backup
  const keys = existsSync(evidenceKeyFile)
    ? readEvidenceKeys(evidenceKeyFile)
    : parseEvidenceKeys(backup.evidence_keys, 'the evidence keys of the backup');
  const fold = createFold({ keys });
  const onRows = (rows: Parameters<typeof fold.advance>[0]) => void fold.advance(rows);
  const head = await readKnownHistory({ store, genesisHash, pins, onRows });
  return { head, state: fold.view.state };
}

function writeKeys({ keys, evidenceKeyFile }: PartyPlace, backup: PartyBackup): void {
  for (const name of ['kek', 'identity', 'exchange'] as const) {
    createDurably(keys[name], Buffer.from(backup.key_folder[name], 'base64'));
  }
  if (!existsSync(evidenceKeyFile)) createDurably(evidenceKeyFile, backup.evidence_keys);
}

/** Throws on what is no JSON. */
export function readBox(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}
