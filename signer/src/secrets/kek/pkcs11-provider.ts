/**
 * A key in an HSM or a token, by PKCS#11: an AES key that nobody can read out, used with AES-GCM. What is wrapped is
 * base64 of nonce (12 bytes) ‖ ciphertext ‖ tag (16 bytes).
 */
import { randomBytes } from 'node:crypto';
import type { SettingsOf } from '@countersign/runtime/settings/kek-settings.js';
import { contextBytes, KekError, readCredential, type KekProvider } from './kek-provider.js';
import { loadPkcs11, wordsToFill, type Pkcs11Library } from './pkcs11-library.js';

type Settings = SettingsOf<'pkcs11'>;

const NONCE_BYTES = 12;
const TAG_BITS = 128;
const OUTPUT_BYTES = 256;
const LABEL_BYTES = 32;
const TOKEN_INFO_BYTES = 512;
const MAX_SLOTS = 64;

const CKF_OS_LOCKING_OK = 2;
const CKF_SERIAL_SESSION = 4;
const CKU_USER = 1;
const CKA_CLASS = 0;
const CKA_LABEL = 3;
const CKO_SECRET_KEY = 4;
const CKM_AES_GCM = 0x1087;
/** Other threads of this process use the library as well. */
const CKR_CRYPTOKI_ALREADY_INITIALIZED = 0x191;
const CKR_USER_ALREADY_LOGGED_IN = 0x100;

export function openPkcs11(settings: Settings): KekProvider {
  return {
    name: `key ${settings.key} of token ${settings.token}`,
    async wrap(secret, context) {
      const aad = contextBytes(context);
      const nonce = randomBytes(NONCE_BYTES);
      const sealed = await withKey(settings, (key) =>
        crypt(key, 'Encrypt', { nonce, aad }, secret),
      );
      return Buffer.concat([nonce, sealed]).toString('base64');
    },
    unwrap(wrapped, context) {
      const aad = contextBytes(context);
      const bytes = Buffer.from(wrapped, 'base64');
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const sealed = bytes.subarray(NONCE_BYTES);
      return withKey(settings, (key) => crypt(key, 'Decrypt', { nonce, aad }, sealed));
    },
  };
}

interface OpenKey {
  readonly library: Pkcs11Library;
  readonly session: bigint;
  readonly handle: bigint;
}

async function withKey<T>(settings: Settings, use: (key: OpenKey) => T): Promise<T> {
  const pin = Buffer.from(readCredential(settings.pin_file));
  const library = await loadPkcs11(settings.library);
  const initialize = library.words(0, 0, 0, 0, CKF_OS_LOCKING_OK, 0);
  library.call('C_Initialize', [initialize], [CKR_CRYPTOKI_ALREADY_INITIALIZED]);
  const opened = wordsToFill(1);
  const slot = findSlot(library, settings.token);
  library.call('C_OpenSession', [slot, CKF_SERIAL_SESSION, null, null, opened.bytes]);
  const session = opened.read();
  try {
    library.call('C_Login', [session, CKU_USER, pin, pin.length], [CKR_USER_ALREADY_LOGGED_IN]);
    return use({ library, session, handle: findKey(library, session, settings.key) });
  } finally {
    pin.fill(0);
    library.call('C_CloseSession', [session]);
  }
}

function findSlot(library: Pkcs11Library, label: string): bigint {
  const count = wordsToFill(1);
  const slots = wordsToFill(MAX_SLOTS);
  count.bytes.writeBigUInt64LE(BigInt(MAX_SLOTS));
  library.call('C_GetSlotList', [1, slots.bytes, count.bytes]);
  for (let index = 0; index < Number(count.read()); index++) {
    const info = Buffer.alloc(TOKEN_INFO_BYTES);
    library.call('C_GetTokenInfo', [slots.read(index), info]);
    if (info.toString('utf8', 0, LABEL_BYTES).trimEnd() === label) return slots.read(index);
  }
  throw new KekError('there is no token of this label');
}

/** One key and no other: with two of a label it would be chance which is used. */
function findKey(library: Pkcs11Library, session: bigint, label: string): bigint {
  const kind = library.words(CKO_SECRET_KEY);
  const name = Buffer.from(label);
  const template = library.words(CKA_CLASS, kind, kind.length, CKA_LABEL, name, name.length);
  const found = wordsToFill(2);
  const count = wordsToFill(1);
  library.call('C_FindObjectsInit', [session, template, 2]);
  library.call('C_FindObjects', [session, found.bytes, 2, count.bytes]);
  library.call('C_FindObjectsFinal', [session]);
  if (count.read() === 1n) return found.read();
  const many = count.read() === 0n ? 'no secret key' : 'more than one secret key';
  throw new KekError(`the token has ${many} of this label`, true);
}

function crypt(
  { library, session, handle }: OpenKey,
  direction: 'Encrypt' | 'Decrypt',
  { nonce, aad }: { readonly nonce: Uint8Array; readonly aad: Uint8Array },
  input: Uint8Array,
): Uint8Array {
  const parameters = library.words(
    ...[nonce, nonce.length, 8 * nonce.length],
    ...[aad, aad.length, TAG_BITS],
  );
  const mechanism = library.words(CKM_AES_GCM, parameters, parameters.length);
  library.call(`C_${direction}Init`, [session, mechanism, handle]);
  const output = new Uint8Array(OUTPUT_BYTES);
  const length = wordsToFill(1);
  length.bytes.writeBigUInt64LE(BigInt(OUTPUT_BYTES));
  library.call(`C_${direction}`, [session, input, input.length, output, length.bytes]);
  const result = output.slice(0, Number(length.read()));
  output.fill(0);
  return result;
}
