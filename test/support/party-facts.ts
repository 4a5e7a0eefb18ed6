/** What parties say in the ledger beside attestations, and the imports that rest on it. */
import { createPublicKey, sign } from 'node:crypto';
import { keyRefusalMessage } from '@countersign/core/attestation.js';
import { parseBase64, toBase64 } from '@countersign/core/bytes.js';
import { recipientMessage } from '@countersign/core/import-recipient.js';
import { uuidFromHash } from '@countersign/core/hash.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import {
  evidenceKeyMessage,
  evidenceKeyWithdrawalMessage,
} from '@countersign/core/evidence-seal.js';
import {
  refreshMessage,
  successorMessage,
  type RefreshedKey,
  type SuccessorConfirmation,
} from '@countersign/core/party-statements.js';
import { type StatementOf } from '@countersign/vault/ledger/entry.js';
import {
  encodeEvidenceKey,
  encodeEvidenceKeyWithdrawal,
  encodeKeyRefusal,
  encodeRecipient,
  encodeRefresh,
  encodeSuccessor,
} from '@countersign/vault/ledger/write-entry.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { rawPublicKey, testPrivateKey, testSecret, type LedgerBuilder } from './ledger-builder.ts';

const DAY_MS = 86_400_000;

export function signedRefusal(
  ledger: LedgerBuilder,
  party: PartyNumber,
  keyId: string,
  reason: string,
): StatementOf<'key-refusal'> {
  const { genesisHash } = ledger.state;
  const message = keyRefusalMessage({ keyId, reason }, genesisHash);
  return { party, keyId, reason, signature: signedBy(party, message) };
}

export function refuseKey(
  ledger: LedgerBuilder,
  party: PartyNumber,
  keyId: string,
  reason = 'the part does not fit its commitments',
): EntryOutcome {
  return appendRefusal(ledger, signedRefusal(ledger, party, keyId, reason));
}

export function appendRefusal(
  ledger: LedgerBuilder,
  fact: StatementOf<'key-refusal'>,
): EntryOutcome {
  return ledger.append(encodeKeyRefusal(ledger.now, fact));
}

/** `name` stands for the key: the same one is the same recipient. Expires a day from now. */
export function signedRecipient(
  ledger: LedgerBuilder,
  party: PartyNumber,
  name: string,
  expiresAt = ledger.now + DAY_MS,
): StatementOf<'recipient'> {
  const fact = {
    party,
    recipientId: uuidFromHash(testSecret(`recipient ${name} of party ${party}`)),
    publicKey: testSecret(`recipient key ${name} of party ${party}`),
    expiresAt,
  };
  const message = recipientMessage(fact, ledger.state.genesisHash);
  return { ...fact, signature: signedBy(party, message) };
}

export function appendRecipient(
  ledger: LedgerBuilder,
  fact: StatementOf<'recipient'>,
): EntryOutcome {
  return ledger.append(encodeRecipient(ledger.now, fact));
}

/** One recipient of each party; answers the `shares` of an import that names them. */
export function addRecipients(ledger: LedgerBuilder, name: string) {
  return PARTY_NUMBERS.map((party) => {
    const fact = signedRecipient(ledger, party, name);
    const { refusal } = appendRecipient(ledger, fact);
    if (refusal !== undefined) throw new Error(`no recipient ${name}: ${refusal.message}`);
    // the fold never opens what is sealed: any bytes stand for it
    const sealed = testSecret(`sealed to ${name} of party ${party}`);
    return {
      party,
      recipient_id: fact.recipientId,
      sealed: Buffer.concat([sealed, sealed]).toString('base64'),
    };
  });
}

export function signedEvidenceKey(
  ledger: LedgerBuilder,
  party: PartyNumber,
  evidenceKeyId: string,
): StatementOf<'evidence-key'> {
  const message = evidenceKeyMessage({ party, evidenceKeyId }, ledger.state.genesisHash);
  return { party, evidenceKeyId, signature: signedBy(party, message) };
}

export function appendEvidenceKey(
  ledger: LedgerBuilder,
  fact: StatementOf<'evidence-key'>,
): EntryOutcome {
  return ledger.append(encodeEvidenceKey(ledger.now, fact));
}

export function signedWithdrawal(
  ledger: LedgerBuilder,
  party: PartyNumber,
  evidenceKeyId: string,
): StatementOf<'evidence-key-withdrawal'> {
  const message = evidenceKeyWithdrawalMessage({ party, evidenceKeyId }, ledger.state.genesisHash);
  return { party, evidenceKeyId, signature: signedBy(party, message) };
}

export function appendWithdrawal(
  ledger: LedgerBuilder,
  fact: StatementOf<'evidence-key-withdrawal'>,
): EntryOutcome {
  return ledger.append(encodeEvidenceKeyWithdrawal(ledger.now, fact));
}

function signedBy(party: PartyNumber, message: Uint8Array): Buffer {
  return sign(null, message, testPrivateKey(`party ${party}`));
}

/** SubjectPublicKeyInfo (DER) of a number that passes for a modulus: nobody can sign with it. */
export function rsaPublicKey(name: string, modulusBits = 2048): Buffer {
  const parts = Array.from({ length: modulusBits / 256 }, (_, at) => testSecret(`${name} ${at}`));
  const modulus = Buffer.concat(parts);
  modulus[0]! |= 0x80;
  modulus[modulus.length - 1]! |= 1;
  const jwk = { kty: 'RSA', n: modulus.toString('base64url'), e: 'AQAB' };
  return createPublicKey({ key: jwk, format: 'jwk' }).export({ format: 'der', type: 'spki' });
}

/** The keys that a new host for a party made; `name` stands for the host. */
export function newHost(name: string) {
  return {
    identity_public_key: toBase64(rawPublicKey(testPrivateKey(`host ${name}`))),
    exchange_public_key: toBase64(testSecret(`exchange key of host ${name}`)),
  };
}

/** What a party says of the successor that waits. */
export function signedSuccessor(
  ledger: LedgerBuilder,
  party: PartyNumber,
  changes: Partial<SuccessorConfirmation> = {},
): StatementOf<'successor'> {
  const waiting = ledger.state.successor!;
  const fact = {
    party,
    replaced: waiting.party,
    identityPublicKey: parseBase64(waiting.identityPublicKey)!,
    exchangePublicKey: parseBase64(waiting.exchangePublicKey)!,
    requestHash: Buffer.from(waiting.requestHash, 'hex'),
    ...changes,
  };
  return {
    ...fact,
    signature: signedBy(party, successorMessage(fact, ledger.state.genesisHash)),
  };
}

export function confirmSuccessor(
  ledger: LedgerBuilder,
  fact: StatementOf<'successor'>,
): EntryOutcome {
  return ledger.append(encodeSuccessor(ledger.now, fact));
}

/** Party 3 gets the keys of this host. */
export function replaceParty3(ledger: LedgerBuilder, host: string): void {
  ledger.must(ledger.admin, 'PUT', '/v1/system/parties/3', newHost(host));
  for (const party of [1, 2] as const) confirmSuccessor(ledger, signedSuccessor(ledger, party));
}

/** `key`: who signs it. */
export function signedRefresh(
  ledger: LedgerBuilder,
  party: PartyNumber,
  keys: readonly RefreshedKey[],
  key = `party ${party}`,
): StatementOf<'refresh'> {
  const fact = { party, refresh: ledger.state.refresh?.number ?? 1, keys };
  const message = refreshMessage(fact, ledger.state.genesisHash);
  return { ...fact, signature: sign(null, message, testPrivateKey(key)) };
}

export function appendRefresh(ledger: LedgerBuilder, fact: StatementOf<'refresh'>): EntryOutcome {
  return ledger.append(encodeRefresh(ledger.now, fact));
}
