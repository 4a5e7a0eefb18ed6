/** What a signing thread holds while it lives: its party's secrets, and what it keeps between tasks. */
import { createHmac } from 'node:crypto';
import { threadId } from 'node:worker_threads';
import { sodium } from '@countersign/custody/sodium.js';
import { isIdentifier, POINT_BYTES, type Identifier } from '../frost/frost-ed25519.js';
import { NoncePool } from '../frost/nonce-pool.js';
import { frostReferenceSelfTest, frostSelfTest } from '../frost/frost-self-test.js';
import { SigningModexp } from '../rsa/modexp.js';
import { rsaSelfTest } from '../rsa/rsa-self-test.js';
import { createCallerCheck } from './caller-check.js';
import { createDkgSessions, type DkgSessions } from './dkg-sessions.js';
import { openKek } from '../kek/open-kek.js';
import { createResharings, type Resharing } from './resharings.js';
import type { SecretSessions } from './secret-sessions.js';
import { readSealedKey } from '../sealing/sealed-key-file.js';
import type { RsaModuli } from '../maths/rsa-maths.js';
import { randomSecret, type KeyEncryptionKey } from '../sealing/share-seal.js';
import type { ThreadData } from '../../threads/thread-tasks.js';

const SEED_BYTES = 32;
const HEDGE_DOMAIN = 'countersign nonce hedge v2';
const SESSION_BOUNDS = { limit: 64, lifetimeMs: 120_000 };
const MODULI_KEPT = 1_000;

export interface ThreadState {
  readonly party: Identifier;
  readonly kek: KeyEncryptionKey;
  /** Opens it anew, as the next start of this party would. */
  reopenKek(): Promise<KeyEncryptionKey>;
  /** 32 bytes, in memory of their own, which the caller wipes. */
  openExchangeKey(): Uint8Array;
  readonly identityPublicKey: Uint8Array;
  /** Seed ‖ public key, 64 bytes, as libsodium wants it. */
  readonly identitySecretKey: Uint8Array;
  readonly noncePool: NoncePool;
  readonly dkgSessions: DkgSessions;
  readonly resharings: SecretSessions<Resharing>;
  readonly rsaModuli: RsaModuli;
  /** Whether its caller asked for an item. */
  readonly isAskedFor: ReturnType<typeof createCallerCheck>;
}

/** Reads the secrets from their files. Rejects when one cannot be read or a self-test fails. */
export async function openThreadState(data: ThreadData): Promise<ThreadState> {
  if (!isIdentifier(data.party)) throw new RangeError(`no party ${String(data.party)}`);
  frostSelfTest();
  if (data.signsRsa) {
    // the same thread makes keys, by noble
    frostReferenceSelfTest();
    rsaSelfTest();
  }
  const kek = await openKek(data.kekFile, data.party);
  const { party, identityFile, exchangeFile } = data;
  const seed = readSealedKey(identityFile, { kek, party, purpose: 'identity' });
  const identityPublicKey = new Uint8Array(POINT_BYTES);
  const identitySecretKey = new Uint8Array(SEED_BYTES + POINT_BYTES);
  sodium.crypto_sign_seed_keypair(identityPublicKey, identitySecretKey, seed);
  const hedgeSecret = deriveHedgeSecret(seed);
  sodium.sodium_memzero(seed);
  return {
    party,
    kek,
    reopenKek: () => openKek(data.kekFile, data.party),
    openExchangeKey: () => readSealedKey(exchangeFile, { kek, party, purpose: 'exchange' }),
    identityPublicKey,
    identitySecretKey,
    noncePool: new NoncePool(data.nonceMemory, hedgeSecret),
    dkgSessions: createDkgSessions({ identifier: data.party, ...SESSION_BOUNDS }),
    resharings: createResharings(SESSION_BOUNDS),
    rsaModuli: { modexp: new SigningModexp(MODULI_KEPT), publicKeys: new Map() },
    isAskedFor: createCallerCheck(),
  };
}

/**
 * Derives the secret hashed into pool nonces, where RFC 9591 has the signing share. It rests on the identity seed, so
 * that it stays secret should the random source fail. It also rests on fresh randomness and the moment of this thread's
 * start, so that no two threads share it, nor two starts that found the random source in one state.
 */
function deriveHedgeSecret(seed: Uint8Array): Uint8Array {
  const freshness = randomSecret(32);
  const start = [Date.now(), process.hrtime.bigint(), process.pid, threadId].join(' ');
  return createHmac('sha512', seed).update(HEDGE_DOMAIN).update(freshness).update(start).digest();
}
