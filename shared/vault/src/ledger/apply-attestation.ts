/** Folds what parties vouch for with their identity keys. */
import {
  ceremonyHashOf,
  keyAttestationMessage,
  keyRefusalMessage,
} from '@countersign/core/attestation.js';
import { toBase64, toHex, type Bytes } from '@countersign/core/bytes.js';
import { recipientMessage } from '@countersign/core/import-recipient.js';
import { refuse, type Refusal } from '@countersign/core/errors.js';
import { evidenceKeyMessage } from '@countersign/core/evidence-seal.js';
import { addressOf } from '@countersign/chains/addresses.js';
import { rsaModulusBits } from '@countersign/core/rsa-public-key.js';
import type { StatementOf } from './entry.js';
import {
  NO_SEALED_PARTS,
  type Attestation,
  type ImportRecipient,
  type Key,
  type VaultState,
} from '../state/state.js';
import { generatedMark } from '../state/key-marks.js';
import { ownerOf } from '../state/public-key-owners.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { replaceRow } from '../state/table.js';
import type { Moment } from './judging.js';
import { isSignedByParty } from './party-statement.js';

/** How many keys for imports a party may have at once: the current one, and the one before it. */
const RECIPIENTS_KEPT = 2;
/** Waiting must be enough to outlive a stolen one. */
const MAX_RECIPIENT_LIFE_MS = 48 * 3_600_000;
const MAX_REASON_LENGTH = 200;
/** Evidence keys that a party may say it holds while others do not: a rotation needs one. */
const MAX_KEYS_UNDECLARED = 8;

/** One party's statement for a key. */
export function applyKeyAttestation(
  state: VaultState,
  fact: StatementOf<'attestation'>,
  { at }: Pick<Moment, 'at'>,
): VaultState | Refusal {
  const key = state.keys.rows.get(fact.keyId);
  if (key === undefined) return refuse('resource_not_found', 'no such key');
  if (!state.keys.indexes.pending.has(key.id)) {
    return refuse('resource_conflict', 'the key is complete');
  }
  const wallet = state.wallets.rows.get(key.walletId ?? '');
  const ceremonyHash = ceremonyHashOf(fact.session, fact.transcriptHash);
  if (!isPublicKeyOf(key, fact.publicKey)) {
    return refuse('invalid_inputs', 'the public key is not of the kind that was asked for');
  }
  if (key.status === 'importing' && toBase64(fact.publicKey) !== key.publicKey) {
    return refuse('invalid_inputs', 'the public key is not the one that was stated');
  }
  // a share made ahead can be brought back by whoever holds the database, and must not become a second key
  if (
    key.custody === 'mpc' &&
    ownerOf(state.keys.indexes.byPublicKey, generatedMark(toBase64(fact.publicKey))) !== undefined
  ) {
    return refuse('resource_conflict', 'the public key is that of another key');
  }
  const address = wallet === undefined ? '' : addressOf(wallet.networkFamily, fact.publicKey);
  const message = keyAttestationMessage(
    {
      vaultId: wallet?.vaultId ?? '',
      keyId: key.id,
      keyType: key.type,
      publicKey: fact.publicKey,
      address,
      ceremonyHash,
    },
    state.genesisHash,
  );
  if (!isSignedByParty(state.parties, fact.party, message, fact.signature)) {
    return refuse('unauthorized', 'the attestation is not signed by that party');
  }
  const attestations = [
    ...key.attestations.filter((row) => row.party !== fact.party),
    attestationRow(fact, ceremonyHash, key),
  ].toSorted((a, b) => a.party - b.party);
  return withAttestations(state, key, attestations, address, at);
}

/** One party's refusal is enough, since a key needs three good shares. */
export function applyKeyRefusal(
  state: VaultState,
  fact: StatementOf<'key-refusal'>,
  { at }: Pick<Moment, 'at'>,
): VaultState | Refusal {
  const key = state.keys.rows.get(fact.keyId);
  if (key === undefined) return refuse('resource_not_found', 'no such key');
  if (!state.keys.indexes.pending.has(key.id)) {
    return refuse('resource_conflict', 'the key is complete');
  }
  // a generation of an Ed25519 key that fails is tried again, since a wallet must get its address
  if (key.status === 'generating' && key.type === 'ed25519') {
    return refuse('resource_conflict', 'an Ed25519 generation is never given up');
  }
  const message = keyRefusalMessage(fact, state.genesisHash);
  if (!isSignedByParty(state.parties, fact.party, message, fact.signature)) {
    return refuse('unauthorized', 'the refusal is not signed by that party');
  }
  const failed: Key = {
    ...key,
    status: 'failed',
    failure: `party ${fact.party}: ${fact.reason.slice(0, MAX_REASON_LENGTH)}`,
    sealedParts: NO_SEALED_PARTS,
    lastUpdatedAt: at,
  };
  return { ...state, keys: replaceRow(state.keys, failed) };
}

/** Each new key must outlive the one before it, so an old one cannot be brought back by a replay. */
export function applyRecipient(
  state: VaultState,
  fact: StatementOf<'recipient'>,
  { at }: Pick<Moment, 'at'>,
): VaultState | Refusal {
  const message = recipientMessage(fact, state.genesisHash);
  if (!isSignedByParty(state.parties, fact.party, message, fact.signature)) {
    return refuse('unauthorized', 'the recipient is not signed by that party');
  }
  if (fact.expiresAt - at > MAX_RECIPIENT_LIFE_MS) {
    return refuse('invalid_inputs', 'the recipient would live too long');
  }
  const ofParty = state.importRecipients.filter((row) => row.party === fact.party);
  const newest = ofParty.at(-1);
  if (newest !== undefined && fact.expiresAt <= newest.expiresAt) {
    return refuse('resource_conflict', 'the party has a newer recipient');
  }
  const recipient: ImportRecipient = {
    id: fact.recipientId,
    party: fact.party,
    publicKey: toBase64(fact.publicKey),
    expiresAt: fact.expiresAt,
    signature: toBase64(fact.signature),
  };
  const others = state.importRecipients.filter((row) => row.party !== fact.party);
  const kept = [...ofParty, recipient].slice(-RECIPIENTS_KEPT);
  return {
    ...state,
    importRecipients: [...others, ...kept].toSorted(
      (a, b) => a.party - b.party || a.expiresAt - b.expiresAt,
    ),
  };
}

/** One party alone cannot declare a key: the others, who lack it, would stop at the first entry under it. */
export function applyEvidenceKey(
  state: VaultState,
  fact: StatementOf<'evidence-key'>,
): VaultState | Refusal {
  const { party, evidenceKeyId } = fact;
  const message = evidenceKeyMessage(fact, state.genesisHash);
  if (!isSignedByParty(state.parties, party, message, fact.signature)) {
    return refuse('unauthorized', 'the evidence key is not vouched for by that party');
  }
  const known = state.evidenceKeys.find(({ id }) => id === evidenceKeyId);
  if (known?.heldBy.includes(party) === true) {
    return refuse('resource_conflict', 'the party has vouched for that evidence key');
  }
  if (known === undefined && countUndeclared(state, party) >= MAX_KEYS_UNDECLARED) {
    return refuse('resource_conflict', 'the party holds too many evidence keys that others do not');
  }
  const heldBy = PARTY_NUMBERS.filter(
    (one) => one === party || known?.heldBy.includes(one) === true,
  );
  const others = state.evidenceKeys.filter((row) => row !== known);
  return { ...state, evidenceKeys: [...others, { id: evidenceKeyId, heldBy }] };
}

function countUndeclared({ evidenceKeys }: VaultState, party: PartyNumber): number {
  return evidenceKeys.filter(
    ({ heldBy }) => heldBy.length < PARTY_NUMBERS.length && heldBy.includes(party),
  ).length;
}

function isPublicKeyOf(key: Key, publicKey: Bytes): boolean {
  switch (key.type) {
    case 'ed25519':
      return publicKey.length === 32;
    case 'hmac':
      return publicKey.length === 0;
    case 'rsa':
      return rsaModulusBits(publicKey) === key.modulusBits;
  }
}

/** The three attestations repeat the same texts: strings that the key has already are used again for this one. */
function attestationRow(
  fact: StatementOf<'attestation'>,
  ceremonyHash: Bytes,
  key: Key,
): Attestation {
  const texts = key.attestations.flatMap((row) => [row.session, row.publicKey, row.ceremonyHash]);
  const once = (text: string) => [key.publicKey, ...texts].find((held) => held === text) ?? text;
  return {
    party: fact.party,
    session: once(fact.session),
    publicKey: once(toBase64(fact.publicKey)),
    ceremonyHash: once(toHex(ceremonyHash)),
    signature: toBase64(fact.signature),
  };
}

/** The key becomes active once all three parties attest the same result of the same ceremony. */
function withAttestations(
  state: VaultState,
  key: Key,
  attestations: readonly Attestation[],
  address: string,
  at: number,
): VaultState {
  const first = attestations[0];
  const complete =
    first !== undefined &&
    attestations.length === 3 &&
    attestations.every(
      (row) =>
        // the hash names the session too
        row.ceremonyHash === first.ceremonyHash && row.publicKey === first.publicKey,
    );
  if (!complete) {
    return { ...state, keys: replaceRow(state.keys, { ...key, attestations }) };
  }
  const active: Key = {
    ...key,
    attestations,
    status: 'active',
    publicKey: first.publicKey,
    session: first.session,
    sealedParts: NO_SEALED_PARTS,
    lastUpdatedAt: at,
  };
  const next = { ...state, keys: replaceRow(state.keys, active) };
  const wallet = state.wallets.rows.get(key.walletId ?? '');
  if (wallet === undefined) return next;
  return {
    ...next,
    wallets: replaceRow(state.wallets, { ...wallet, address, lastUpdatedAt: at }),
  };
}
