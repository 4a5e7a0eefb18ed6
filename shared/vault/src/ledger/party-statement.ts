/** Statements of parties about the ledger itself. The ledger before a statement tells whether it counts. */
import { parseBase64, toHex, type Bytes } from '@countersign/core/bytes.js';
import { verifyEd25519 } from '@countersign/core/ed25519.js';
import { refuse, type Refusal } from '@countersign/core/errors.js';
import type { PartyIdentity, PartyNumber } from '@countersign/core/parties.js';
import {
  acknowledgementMessage,
  anchorMessage,
  countersignatureMessage,
  type LedgerHead,
} from '@countersign/core/party-statements.js';
import type { EntryContent } from './entry.js';

/** How far apart the clocks of two parties that judge an entry together may be, ms. */
export const AGREEMENT_MS = 60_000;
/** A statement may name one of this many places before it; nobody has to remember places further back. */
export const HEADS_KEPT = 8_192;

export type StatementContent = Extract<
  EntryContent,
  { kind: 'countersignature' | 'acknowledgement' | 'anchor' }
>;

/** Whether the content changes nothing itself, but says when and by which rules other entries are judged. */
export function isStatement(content: EntryContent): content is StatementContent {
  const { kind } = content;
  return kind === 'countersignature' || kind === 'acknowledgement' || kind === 'anchor';
}

/** Whether two statements may judge an entry together. */
export function areAgreed(
  a: { readonly at: number; readonly rules: number },
  b: { readonly at: number; readonly rules: number },
): boolean {
  return Math.abs(a.at - b.at) <= AGREEMENT_MS && a.rules === b.rules;
}

/** 401 unless the party of the statement signed it. */
export function refuseForged(
  content: StatementContent,
  parties: readonly PartyIdentity[],
  genesisHash: string,
): Refusal | undefined {
  const { party, signature } = content.statement;
  return isSignedByParty(parties, party, messageOf(content, genesisHash), signature)
    ? undefined
    : refuse('unauthorized', 'the statement is not signed by that party');
}

/** `hashAt` gives the hash (hex) of a remembered place. `seq`: where the statement stands. */
export function refuseMisplaced(
  { seq: named, hash }: LedgerHead,
  seq: number,
  hashAt: (seq: number) => string | undefined,
): Refusal | undefined {
  if (named < 1 || named >= seq) {
    return refuse('invalid_inputs', 'the statement names a place that is not before it');
  }
  const known = seq - named > HEADS_KEPT ? undefined : hashAt(named);
  if (known === undefined) return refuse('resource_conflict', 'the statement comes too late');
  return known === toHex(hash) ? undefined : OTHER_HISTORY;
}

/** A party has pinned another log than this one: somebody shows different logs to different nodes. */
export const OTHER_HISTORY = refuse('resource_conflict', 'the statement names another history');

export function isSignedByParty(
  parties: readonly PartyIdentity[],
  party: PartyNumber,
  message: Bytes,
  signature: Bytes,
): boolean {
  const identity = parties.find((row) => row.party === party);
  return identity !== undefined && verifyEd25519(identityKeyOf(identity), message, signature);
}

/** Each identity of a genesis is parsed once: two statements stand behind every change. */
const IDENTITY_KEYS = new WeakMap<PartyIdentity, Bytes>();

function identityKeyOf(identity: PartyIdentity): Bytes {
  const known = IDENTITY_KEYS.get(identity);
  if (known !== undefined) return known;
  const key = parseBase64(identity.identityPublicKey) ?? Buffer.alloc(0);
  IDENTITY_KEYS.set(identity, key);
  return key;
}

function messageOf({ kind, statement }: StatementContent, genesisHash: string): Buffer {
  switch (kind) {
    case 'countersignature':
      return countersignatureMessage(statement, genesisHash);
    case 'acknowledgement':
      return acknowledgementMessage(statement, genesisHash);
    case 'anchor':
      return anchorMessage(statement, genesisHash);
  }
}
