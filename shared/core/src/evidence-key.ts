/**
 * The evidence key: a symmetric key that gateways and parties hold in a file and that neither Redis
 * nor PostgreSQL ever sees. It seals the credential inside evidence at rest and everything a gateway
 * and a party say to each other through Redis.
 *
 * What it does not do: it authorises nothing. Whoever holds it can read credentials and withhold
 * work; a caller's signature is still needed for every effect.
 *
 * Two forms of seal, told apart by the key id that they begin with:
 *
 * - of an entry of the ledger: under the key itself, with a random nonce. What an entry means is the same in every
 *   release, so this form stays. AES-256-GCM takes 2^32 such seals of one key, and the ledger counts them: one for
 *   each request that changes the vault (and one more for its rehearsal, which leaves no process). A ledger of that
 *   length would take a terabyte, and days to fold: rotate the key long before.
 * - of everything else, which signing makes by the thousand a second: `salted-seal.ts`, without a bound that matters.
 *   It means nothing in the ledger: nobody declares its key id.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { BOX_KEY_BYTES, BOX_NONCE_BYTES, BOX_TAG_BYTES, openBox, sealBox } from './aead-box.js';
import { ByteWriter, toHex, type Bytes } from './bytes.js';
import { sha256 } from './hash.js';
import type { PartyNumber } from './parties.js';
import { assertPrivateFile } from './private-file.js';
import { createSaltedSeals, type SaltedSeals } from './salted-seal.js';

export const KEY_ID_BYTES = 8;

const keyFileSchema = z.strictObject({
  current: z.string(),
  keys: z.record(z.string(), z.base64()),
});

export interface EvidenceKeys {
  /** Ids (hex) of all keys held, the one that seals first. */
  readonly ids: readonly [string, ...string[]];
  /** Id of the key's salted seals (8 bytes) ‖ a seal of {@link SaltedSeals}. For all but entries of the ledger. */
  seal(plaintext: Bytes, associatedData: Bytes): Buffer;
  /** Key id (8 bytes) ‖ GCM nonce (12) ‖ ciphertext ‖ tag (16). For entries of the ledger alone. */
  sealEntry(plaintext: Bytes, associatedData: Bytes): Buffer;
  /** What either of them sealed. Throws EvidenceSealError when the seal does not open. */
  open(sealed: Bytes, associatedData: Bytes): Buffer;
  /** 32 bytes, the same on every node that holds the key named in `sealed`. */
  derive(sealed: Bytes, label: string, context: Bytes): Buffer;
}

/** The seal is not one of ours. */
export class EvidenceSealError extends Error {}

/** The key that made this seal is not in our key file: an operator's mistake, never a caller's. */
export class UnknownEvidenceKeyError extends Error {}

interface HeldKey {
  readonly raw: Buffer;
  readonly salted: SaltedSeals;
  /** What its seals in the ledger begin with. */
  readonly id: Buffer;
  /** What all its other seals begin with. */
  readonly saltedId: Buffer;
}

export function createEvidenceKeys(keys: readonly Buffer[]): EvidenceKeys {
  const held = keys.map(holdKey);
  const [current] = held;
  if (current === undefined) throw new Error('an evidence key is needed');
  const byId = new Map(held.flatMap((key) => [key.id, key.saltedId].map((id) => [toHex(id), key])));
  const [currentId, ...otherIds] = new Set(held.map(({ id }) => toHex(id)));

  function keyOf(sealed: Bytes): HeldKey {
    const id = evidenceKeyIdOf(sealed);
    const key = byId.get(id);
    if (key === undefined) throw new UnknownEvidenceKeyError(`evidence key ${id} is not held here`);
    return key;
  }

  return {
    ids: [currentId!, ...otherIds],
    seal(plaintext, associatedData) {
      return Buffer.concat([current.saltedId, current.salted.seal(plaintext, associatedData)]);
    },
    sealEntry(plaintext, associatedData) {
      const nonce = randomBytes(BOX_NONCE_BYTES);
      const box = sealBox(current.raw, nonce, plaintext, associatedData);
      return Buffer.concat([current.id, nonce, box]);
    },
    open(sealed, associatedData) {
      const key = keyOf(sealed);
      try {
        return openSeal(key, sealed, associatedData);
      } catch (cause) {
        throw new EvidenceSealError('evidence seal does not open', { cause });
      }
    },
    derive(sealed, label, context) {
      const input = new ByteWriter().field('countersign derived secret v1').field(label);
      return createHmac('sha256', keyOf(sealed).raw).update(input.field(context).bytes()).digest();
    },
  };
}

function holdKey(raw: Buffer): HeldKey {
  return {
    raw,
    salted: createSaltedSeals(raw),
    id: keyIdOf('countersign evidence key id v1', raw),
    saltedId: keyIdOf('countersign evidence key id of salted seals v1', raw),
  };
}

/** Throws for what `key` did not seal. */
function openSeal(key: HeldKey, sealed: Bytes, associatedData: Bytes): Buffer {
  const rest = sealed.subarray(KEY_ID_BYTES);
  if (key.saltedId.equals(sealed.subarray(0, KEY_ID_BYTES))) {
    return key.salted.open(rest, associatedData);
  }
  if (rest.length < BOX_NONCE_BYTES + BOX_TAG_BYTES) throw new RangeError('seal too short');
  const nonce = rest.subarray(0, BOX_NONCE_BYTES);
  return openBox(key.raw, nonce, rest.subarray(BOX_NONCE_BYTES), associatedData);
}

/** The id (hex) that a seal begins with. Throws EvidenceSealError for what is too short to name one. */
export function evidenceKeyIdOf(sealed: Bytes): string {
  if (sealed.length < KEY_ID_BYTES) throw new EvidenceSealError('evidence seal too short');
  return toHex(sealed.subarray(0, KEY_ID_BYTES));
}

/**
 * What a party signs with its identity key to say that it holds an evidence key. Once all three have said
 * so, entries sealed under it count. `genesisHash` and `keyId`: hex.
 */
export function evidenceKeyMessage(keyId: string, party: PartyNumber, genesisHash: string): Buffer {
  return new ByteWriter()
    .field('countersign evidence key v1')
    .field(genesisHash)
    .u8(party)
    .fixed(Buffer.from(keyId, 'hex'))
    .bytes();
}

/** Reads the key file; throws when it is missing, malformed, or readable by others. */
export function readEvidenceKeys(path: string): EvidenceKeys {
  assertPrivateFile(path);
  const file = keyFileSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  const current = file.keys[file.current];
  if (current === undefined) throw new Error(`${path}: no key named ${file.current}`);
  const others = Object.entries(file.keys).filter(([name]) => name !== file.current);
  return createEvidenceKeys(
    [current, ...others.map(([, key]) => key)].map((key) => asKey(path, key)),
  );
}

/** Makes a key file (mode 0600) with one fresh key; throws when the file exists. */
export function createEvidenceKeyFile(path: string): void {
  const key = randomBytes(32);
  const id = toHex(keyIdOf('countersign evidence key id v1', key));
  const file = { current: id, keys: { [id]: key.toString('base64') } };
  writeFileSync(path, JSON.stringify(file, null, 2) + '\n', { mode: 0o600, flag: 'wx' });
}

function asKey(path: string, base64: string): Buffer {
  const key = Buffer.from(base64, 'base64');
  if (key.length !== BOX_KEY_BYTES) throw new Error(`${path}: an evidence key is 32 bytes`);
  return key;
}

function keyIdOf(domain: string, key: Buffer): Buffer {
  return sha256(domain, key).subarray(0, KEY_ID_BYTES);
}
