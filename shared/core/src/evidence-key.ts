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
import { BOX_KEY_BYTES, BOX_NONCE_BYTES, BOX_TAG_BYTES, openBox, sealBox } from './aead-box.js';
import { ByteWriter, toHex, type Bytes } from './bytes.js';
import {
  EvidenceSealError,
  evidenceKeyIdOf,
  KEY_ID_BYTES,
  UnknownEvidenceKeyError,
} from './evidence-seal.js';
import type { EvidenceKeys } from './evidence-seal-types.js';
import { sha256 } from './hash.js';
import * as s from './shapes.js';
import { assertPrivateFile } from './private-file.js';
import { createSaltedSeals, type SaltedSeals } from './salted-seal.js';

const keyFileSchema = s.strictObject({
  current: s.string(),
  keys: s.record(s.string(), s.string().regex(/^[A-Za-z0-9+/]*={0,2}$/, 'must be standard base64')),
  /** Names of keys that are no longer trusted. They stay in the file: what was judged under them is read again. */
  withdrawn: s.array(s.string()).optional(),
});

interface HeldKey {
  readonly raw: Buffer;
  readonly salted: SaltedSeals;
  /** Its seals in the ledger begin with this. */
  readonly id: Buffer;
  /** All its other seals begin with this. */
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
    declaredIdOf: (sealed) => toHex(keyOf(sealed).id),
    derive(sealed, label, context) {
      const input = new ByteWriter().field('countersign derived secret v1').field(label);
      return createHmac('sha256', keyOf(sealed).raw).update(input.field(context).bytes()).digest();
    },
  };
}

/**
 * The same keys, but they open nothing that a distrusted one sealed (`isDistrusted`: by its id in the ledger). For
 * messages of now: stored data may have been sealed while the key was trusted.
 */
export function withoutDistrusted(
  keys: EvidenceKeys,
  isDistrusted: (declaredId: string) => boolean,
): EvidenceKeys {
  return {
    ...keys,
    open(sealed, associatedData) {
      const id = keys.declaredIdOf(sealed);
      if (isDistrusted(id)) throw new EvidenceSealError(`evidence key ${id} was withdrawn`);
      return keys.open(sealed, associatedData);
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

/** Throws if `key` did not seal it. */
function openSeal(key: HeldKey, sealed: Bytes, associatedData: Bytes): Buffer {
  const rest = sealed.subarray(KEY_ID_BYTES);
  if (key.saltedId.equals(sealed.subarray(0, KEY_ID_BYTES))) {
    return key.salted.open(rest, associatedData);
  }
  if (rest.length < BOX_NONCE_BYTES + BOX_TAG_BYTES) throw new RangeError('seal too short');
  const nonce = rest.subarray(0, BOX_NONCE_BYTES);
  return openBox(key.raw, nonce, rest.subarray(BOX_NONCE_BYTES), associatedData);
}

/** Reads the key file; throws when it is missing, malformed, or readable by others. */
export function readEvidenceKeys(path: string): EvidenceKeys {
  return parseEvidenceKeys(readPrivateText(path), path);
}

/** `path`: for errors. Throws if the text is malformed. */
export function parseEvidenceKeys(text: string, path: string): EvidenceKeys {
  const file = parseKeyFile(text, path);
  const current = keyNamed(file, path, file.current);
  const others = Object.entries(file.keys).filter(([name]) => name !== file.current);
  return createEvidenceKeys([current, ...others.map(([, key]) => asKey(path, key))]);
}

/** Ids (hex) of the keys that the key file calls withdrawn; throws as {@link readEvidenceKeys} does. */
export function readWithdrawnKeyIds(path: string): string[] {
  const file = parseKeyFile(readPrivateText(path), path);
  const { withdrawn = [] } = file;
  return withdrawn.map((name) => toHex(holdKey(keyNamed(file, path, name)).id));
}

type KeyFile = s.OutputOf<typeof keyFileSchema>;

function readPrivateText(path: string): string {
  assertPrivateFile(path);
  return readFileSync(path, 'utf8');
}

function parseKeyFile(text: string, path: string): KeyFile {
  const file = keyFileSchema.parse(JSON.parse(text));
  for (const name of file.withdrawn ?? []) {
    const key = keyNamed(file, path, name);
    if (key.equals(keyNamed(file, path, file.current))) {
      throw new Error(`${path}: the current key cannot be a withdrawn one`);
    }
  }
  return file;
}

function keyNamed({ keys }: KeyFile, path: string, name: string): Buffer {
  const key = Object.hasOwn(keys, name) ? keys[name] : undefined;
  if (key === undefined) throw new Error(`${path}: no key named ${name}`);
  return asKey(path, key);
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
