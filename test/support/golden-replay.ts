/**
 * The recorded ledger of `test/vectors/golden-ledger.json`, judged by today's rules. Loads no catalogue: what
 * is folded here must not depend on one.
 */
import { readFileSync } from 'node:fs';
import { createEvidenceKeys, type EvidenceKeys } from '@countersign/core/evidence-key.js';
import type { KeyType, SignatureScheme } from '@countersign/core/signature-schemes.js';
import type { NetworkFamily } from '@countersign/core/vocabulary.js';
import { entryHash } from '@countersign/core/key-birth.js';
import { GENESIS_PREV_HASH, type EntryRow } from '@countersign/vault/ledger/entry.js';
import { stateHash } from '@countersign/vault/state/state-hash.js';
import { EMPTY_STATE, type VaultState } from '@countersign/vault/state/state.js';
import { judgeAsRecorded, type RecordedEntry } from './recorded-ledger.ts';

interface GoldenEntry {
  /** Base64. */
  readonly body: string;
  readonly hash: string;
  readonly operation: string | null;
  readonly refused: string | null;
  /** Of the state after this entry. */
  readonly state_hash: string;
}

export interface GoldenLedger {
  readonly about: string;
  /** Base64. */
  readonly evidence_key: string;
  /** Ed25519 seeds, base64. */
  readonly seeds: Readonly<Record<'administrator' | 'party_1' | 'party_2' | 'party_3', string>>;
  readonly entries: readonly GoldenEntry[];
}

const FILE = new URL('../vectors/golden-ledger.json', import.meta.url);

export function readGoldenLedger(): GoldenLedger {
  return JSON.parse(readFileSync(FILE, 'utf8')) as GoldenLedger;
}

/**
 * Entries, by sequence number, that the recorded release refused because its venue tables or its lint did,
 * which it asked inside the fold. They are refused before they are appended now; a fold alone has nothing
 * against them. The recorded states go on as if they were not there.
 */
export const REFUSED_BY_CATALOGUE: ReadonlySet<number> = new Set([
  // a key at a venue that takes none of its type; imports in another encoding and scheme than the venue's
  51,
  92, 93,
  // a rule behind one that decides all that it would
  109,
  // rules with a condition that the venue's signature does not bind (named, or that of a member), with an
  // unknown venue, and with an amount in a session
  116,
  117, 118, 119,
  // an API key with parameters in it
  125,
]);

/** One entry as it was judged. */
export interface GoldenStep {
  readonly row: EntryRow;
  readonly before: VaultState;
  /** By the rules alone. */
  readonly outcome: RecordedEntry;
  /** Of the state that the next entry meets, as the recorded release wrote it. */
  readonly stateHash: string;
}

export interface GoldenReplay {
  readonly keys: EvidenceKeys;
  readonly steps: readonly GoldenStep[];
  readonly state: VaultState;
}

export function replayGoldenLedger(golden: GoldenLedger): GoldenReplay {
  const keys = createEvidenceKeys([Buffer.from(golden.evidence_key, 'base64')]);
  const steps: GoldenStep[] = [];
  let state = EMPTY_STATE;
  let prevHash: Uint8Array = GENESIS_PREV_HASH;
  for (const [index, { body: text }] of golden.entries.entries()) {
    const seq = index + 1;
    const body = Buffer.from(text, 'base64');
    const row = { seq, prevHash, hash: entryHash(seq, prevHash, body), body };
    const before = state;
    const judged = judgeAsRecorded(before, row, keys);
    const { headHash } = judged.state;
    state = REFUSED_BY_CATALOGUE.has(seq) ? { ...before, seq, headHash } : judged.state;
    steps.push({ row, before, outcome: judged, stateHash: stateHash(asRecorded(state)) });
    prevHash = row.hash;
  }
  return { keys, steps, state };
}

/** What the recorded release wrote where the state has null now: its values, whatever the catalogues say. */
const RECORDED_NETWORKS: Readonly<Record<NetworkFamily, readonly string[]>> = {
  solana: ['solana-mainnet', 'solana-devnet', 'solana-testnet'],
  sui: ['sui-mainnet', 'sui-testnet', 'sui-devnet'],
  aptos: ['aptos-mainnet', 'aptos-testnet'],
  stellar: ['stellar-mainnet', 'stellar-testnet'],
  near: ['near-mainnet', 'near-testnet'],
};
const RECORDED_SCHEMES: Readonly<Partial<Record<KeyType, SignatureScheme>>> = {
  ed25519: 'ed25519',
};

function asRecorded(state: VaultState): VaultState {
  const { wallets, keys } = state;
  return {
    ...state,
    wallets: {
      ...wallets,
      rows: wallets.rows.map((row) => ({
        ...row,
        networks: row.networks ?? RECORDED_NETWORKS[row.networkFamily],
      })),
    },
    keys: {
      ...keys,
      rows: keys.rows.map((row) => ({
        ...row,
        scheme: row.scheme ?? RECORDED_SCHEMES[row.type] ?? null,
      })),
    },
  };
}
