/**
 * At the start of a run the parties agree on what they make, and every pair turns the secret it was given into the one
 * that it draws from.
 *
 * The given pair secrets authenticate; a fresh X25519 exchange (RFC 7748) is mixed in. So a run that is started twice
 * under one id draws other numbers, since one p with two different q would give both away. And whoever gets the given
 * secrets learns nothing of the keys made with them.
 */
import { createPrivateKey, createPublicKey, diffieHellman, hkdfSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { ByteWriter } from '@countersign/core/bytes.js';
import { nextParty } from '@countersign/custody/import-package.js';
import { sha256 } from '@countersign/core/hash.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { GenerationChannel } from './generation-channel.js';
import { RsaGenerationError } from '../../threads/generation-error.js';
import { PairSecrets } from './pair-secrets.js';
import { previousParty, type ByParty, type Replicated } from './replicated.js';

const HELLO_DOMAIN = 'countersign rsa generation v1';
const SECRET_DOMAIN = 'countersign rsa generation pair v1';
const RUN_HASH_BYTES = 32;
const SECRET_BYTES = 32;
const CONFIRM_TAG = 'setup confirm';
/** PKCS#8 of a raw X25519 private key (RFC 8410, section 7), up to its 32 bytes. */
const X25519_PKCS8_PREFIX = Buffer.from('302e020100300506032b656e04220420', 'hex');
/** SubjectPublicKeyInfo of a raw X25519 public key (RFC 8410, section 4), up to its 32 bytes. */
const X25519_SPKI_PREFIX = Buffer.from('302a300506032b656e032100', 'hex');
const X25519_BYTES = 32;

export interface SetupInput {
  readonly modulusBits: number;
  readonly runId: string;
  /** Given by the caller, 32 bytes each: shared with the party before, and with the one after. */
  readonly pairKeys: Replicated<Uint8Array>;
  readonly random: (length: number) => Uint8Array;
}

/**
 * hello = SHA-256(domain, modulus bits, run id) ‖ X25519 public key, broadcast. Throws
 * `RsaGenerationError` `setup` when a party means another run, `malformed` when a pair's secrets differ.
 */
export async function setUpPairSecrets(
  channel: GenerationChannel,
  input: SetupInput,
): Promise<PairSecrets> {
  const { party } = channel;
  const ephemeral = x25519PrivateKey(input.random(X25519_BYTES));
  const runHash = sha256(
    new ByteWriter().field(HELLO_DOMAIN).u32(input.modulusBits).field(input.runId).bytes(),
  );
  const hello = Buffer.concat([runHash, rawPublicKey(ephemeral)]);
  const hellos = await channel.broadcast('setup hello', hello, RUN_HASH_BYTES + X25519_BYTES);
  for (const other of channel.others) {
    if (!hellos[other].subarray(0, RUN_HASH_BYTES).equals(runHash)) {
      throw new RsaGenerationError('setup', `party ${other} runs another generation`, {
        party: other,
      });
    }
  }
  const secretWith = (peer: PartyNumber, index: PartyNumber, pairKey: Uint8Array): Uint8Array =>
    pairSecret({ ephemeral, pairKey, index, hellos, peer });
  const secrets = new PairSecrets(party, {
    own: secretWith(previousParty(party), party, input.pairKeys.own),
    next: secretWith(nextParty(party), nextParty(party), input.pairKeys.next),
  });
  channel.useSecrets(secrets);
  await confirmSecrets(channel);
  return secrets;
}

/** HKDF-SHA256(pair key ‖ X25519 secret, salt = hash of all three hellos, info = domain ‖ index). */
function pairSecret(input: {
  readonly ephemeral: KeyObject;
  readonly pairKey: Uint8Array;
  /** The index of the share whose holders the pair is. */
  readonly index: PartyNumber;
  readonly hellos: ByParty<Buffer>;
  readonly peer: PartyNumber;
}): Uint8Array {
  const { ephemeral, pairKey, index, hellos, peer } = input;
  const publicKey = createPublicKey({
    key: Buffer.concat([X25519_SPKI_PREFIX, hellos[peer].subarray(RUN_HASH_BYTES)]),
    format: 'der',
    type: 'spki',
  });
  let exchanged: Buffer;
  try {
    exchanged = diffieHellman({ privateKey: ephemeral, publicKey });
  } catch (cause) {
    // OpenSSL refuses points of small order, which give zero
    throw new RsaGenerationError('setup', `exchange key of party ${peer}`, { party: peer, cause });
  }
  const material = Buffer.concat([pairKey, exchanged]);
  const info = new ByteWriter().field(SECRET_DOMAIN).u8(index).bytes();
  const salt = sha256(hellos[1], hellos[2], hellos[3]);
  const secret = new Uint8Array(hkdfSync('sha256', material, salt, info, SECRET_BYTES));
  exchanged.fill(0);
  material.fill(0);
  return secret;
}

/** Sends an empty sealed message each way: it opens only when both ends hold the same secret. */
async function confirmSecrets(channel: GenerationChannel): Promise<void> {
  const nothing = new Uint8Array();
  await Promise.all(channel.others.map((other) => channel.tell(other, CONFIRM_TAG, nothing)));
  await Promise.all(channel.others.map((other) => channel.hear(other, CONFIRM_TAG, 0)));
}

function x25519PrivateKey(raw: Uint8Array): KeyObject {
  const der = Buffer.concat([X25519_PKCS8_PREFIX, raw]);
  raw.fill(0);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  der.fill(0);
  return key;
}

function rawPublicKey(privateKey: KeyObject): Buffer {
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return spki.subarray(X25519_SPKI_PREFIX.length);
}
