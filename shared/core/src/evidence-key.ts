/**
 * The evidence key: a symmetric key that gateways and parties hold in a file and that neither Redis
 * nor PostgreSQL ever sees. It seals the credential inside evidence at rest and everything a gateway
 * and a party say to each other through Redis.
 *
 * What it does not do: it authorises nothing. Whoever holds it can read credentials and withhold
 * work; a caller's signature is still needed for every effect.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { BOX_KEY_BYTES, BOX_NONCE_BYTES, BOX_TAG_BYTES, openBox, sealBox } from './aead-box.js';
import { ByteWriter, toHex, type Bytes } from './bytes.js';
import { sha256 } from './hash.js';
import type { PartyNumber } from './parties.js';
import { assertPrivateFile } from './private-file.js';

export const KEY_ID_BYTES = 8;

const keyFileSchema = z.strictObject({
  current: z.string(),
  keys: z.record(z.string(), z.base64()),
});

export interface EvidenceKeys {
  /** Ids (hex) of all keys held, the one that seals first. */
  readonly ids: readonly [string, ...string[]];
  /** key id (8 bytes) ‖ GCM nonce (12) ‖ ciphertext ‖ tag (16). */
  seal(plaintext: Bytes, associatedData: Bytes): Buffer;
  /** Throws EvidenceSealError when the seal does not open. */
  open(sealed: Bytes, associatedData: Bytes): Buffer;
  /** 32 bytes, the same on every node that holds the key named in `sealed`. */
  derive(sealed: Bytes, label: string, context: Bytes): Buffer;
}

/** The seal is not one of ours. */
export class EvidenceSealError extends Error {}

/** The key that made this seal is not in our key file: an operator's mistake, never a caller's. */
export class UnknownEvidenceKeyError extends Error {}

export function createEvidenceKeys(keys: readonly Buffer[]): EvidenceKeys {
  const byId = new Map(keys.map((key) => [toHex(keyIdOf(key)), key]));
  const [current] = keys;
  if (current === undefined) throw new Error('an evidence key is needed');
  const currentId = keyIdOf(current);
  const otherIds = [...byId.keys()].filter((id) => id !== toHex(currentId));

  function keyOf(sealed: Bytes): Buffer {
    const id = evidenceKeyIdOf(sealed);
    const key = byId.get(id);
    if (key === undefined) throw new UnknownEvidenceKeyError(`evidence key ${id} is not held here`);
    return key;
  }

  return {
    ids: [toHex(currentId), ...otherIds],
    seal(plaintext, associatedData) {
      const nonce = randomBytes(BOX_NONCE_BYTES);
      return Buffer.concat([currentId, nonce, sealBox(current, nonce, plaintext, associatedData)]);
    },
    open(sealed, associatedData) {
      const key = keyOf(sealed);
      const boxStart = KEY_ID_BYTES + BOX_NONCE_BYTES;
      if (sealed.length < boxStart + BOX_TAG_BYTES) {
        throw new EvidenceSealError('evidence seal too short');
      }
      try {
        const nonce = sealed.subarray(KEY_ID_BYTES, boxStart);
        return openBox(key, nonce, sealed.subarray(boxStart), associatedData);
      } catch (cause) {
        throw new EvidenceSealError('evidence seal does not open', { cause });
      }
    },
    derive(sealed, label, context) {
      const input = new ByteWriter().field('countersign derived secret v1').field(label);
      return createHmac('sha256', keyOf(sealed)).update(input.field(context).bytes()).digest();
    },
  };
}

/** Hex id of the key that made a seal. Throws EvidenceSealError for what is too short to name one. */
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
  const id = keyIdOf(key).toString('hex');
  const file = { current: id, keys: { [id]: key.toString('base64') } };
  writeFileSync(path, JSON.stringify(file, null, 2) + '\n', { mode: 0o600, flag: 'wx' });
}

function asKey(path: string, base64: string): Buffer {
  const key = Buffer.from(base64, 'base64');
  if (key.length !== BOX_KEY_BYTES) throw new Error(`${path}: an evidence key is 32 bytes`);
  return key;
}

function keyIdOf(key: Buffer): Buffer {
  return sha256('countersign evidence key id v1', key).subarray(0, KEY_ID_BYTES);
}
