/** Entries of a large ledger, made as parties and callers make them, by whoever has their keys. */
import { randomBytes, sign, type KeyObject } from 'node:crypto';
import { ceremonyHashOf, keyAttestationMessage } from '@countersign/core/attestation.js';
import type { Evidence } from '@countersign/core/evidence.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { countersignatureMessage } from '@countersign/core/party-statements.js';
import { addressOf } from '@countersign/chains/addresses.js';
import { signTranscript } from '@countersign/client/sign-request.js';
import { type EntryRow } from '@countersign/vault/ledger/entry.js';
import {
  encodeAttestation,
  encodeCountersignature,
} from '@countersign/vault/ledger/write-entry.js';
import { NEWEST_RULES } from '@countersign/vault/ledger/rules.js';

/** The body of the entry with which a party says that it would judge everything up to this row, and this row, as it stands. */
export function countersignatureOf(
  at: number,
  genesisHash: string,
  { seq, hash }: Pick<EntryRow, 'seq' | 'hash'>,
  { party, privateKey }: Party,
): Buffer {
  const statement = { party, seq, hash, at, rules: NEWEST_RULES, newestRules: NEWEST_RULES };
  const message = countersignatureMessage(statement, genesisHash);
  return encodeCountersignature(at, { ...statement, signature: sign(null, message, privateKey) });
}

export type Party = { readonly party: PartyNumber; readonly privateKey: KeyObject };

/** The bodies of the three entries that complete a wallet's key. */
export function attestWallet(
  at: number,
  {
    genesisHash,
    vaultId,
    keyId,
  }: { readonly genesisHash: string; readonly vaultId: string; readonly keyId: string },
  parties: readonly Party[],
): Buffer[] {
  const publicKey = randomBytes(32);
  const transcriptHash = randomBytes(32);
  const message = keyAttestationMessage(
    {
      vaultId,
      keyId,
      keyType: 'ed25519',
      publicKey,
      address: addressOf('solana', publicKey),
      ceremonyHash: ceremonyHashOf('bench', transcriptHash),
    },
    genesisHash,
  );
  return parties.map(({ party, privateKey }) => {
    const signature = sign(null, message, privateKey);
    const fact = { party, keyId, session: 'bench', publicKey, transcriptHash, signature };
    return encodeAttestation(at, fact);
  });
}

interface EvidenceSigner {
  readonly apiKey: string;
  readonly privateKey: KeyObject;
}

/** A signed POST, as the gateway would have taken it from the wire. */
export function signEvidence(
  { apiKey, privateKey }: EvidenceSigner,
  path: string,
  timestampMs: number,
  body: unknown,
): Evidence {
  const transcript = {
    method: 'POST',
    path,
    query: '',
    body: Buffer.from(JSON.stringify(body)),
    credential: apiKey,
    timestampMs,
    nonce: randomBytes(8),
  };
  return { ...transcript, scheme: 'ApiKey', assertion: signTranscript(transcript, privateKey) };
}
