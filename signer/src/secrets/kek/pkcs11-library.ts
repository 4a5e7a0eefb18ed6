/**
 * The few calls of a PKCS#11 library (OASIS, version 2.40) that wrapping a KEK takes. The library is loaded into the
 * process by `koffi`, whose native code comes with its package; it is loaded for parties with such a provider alone.
 *
 * A `CK_ULONG` has 8 bytes, as everywhere but on Windows. Structures are written as words of that size, addresses
 * included; what they point to lives as long as they do.
 */
import { endianness } from 'node:os';
import { KekError } from './kek-provider.js';

const SUPPORTED = process.platform !== 'win32' && endianness() === 'LE';
const WORD_BYTES = 8;

const CKR_OK = 0;
const ANSWERS: ReadonlyMap<number, string> = new Map([
  [0x30, 'the token has a fault (CKR_DEVICE_ERROR)'],
  [0x32, 'the token was removed (CKR_DEVICE_REMOVED)'],
  [0x40, 'it does not decrypt this: another key (CKR_ENCRYPTED_DATA_INVALID)'],
  [0x63, 'the key is of another type (CKR_KEY_TYPE_INCONSISTENT)'],
  [0x68, 'the key may not be used for this (CKR_KEY_FUNCTION_NOT_PERMITTED)'],
  [0x70, 'the token has no AES-GCM (CKR_MECHANISM_INVALID)'],
  [0xa0, 'the PIN is wrong (CKR_PIN_INCORRECT)'],
  [0xa1, 'the PIN is wrong (CKR_PIN_INVALID)'],
  [0xa2, 'the PIN is wrong (CKR_PIN_LEN_RANGE)'],
  [0xa3, 'the PIN has expired (CKR_PIN_EXPIRED)'],
  [0xa4, 'the PIN is locked (CKR_PIN_LOCKED)'],
  [0xe0, 'there is no such token (CKR_TOKEN_NOT_PRESENT)'],
]);
/** Another try counts at the token, which locks itself after a few. */
const ABOUT_THE_PIN = new Set([0xa0, 0xa1, 0xa2, 0xa3, 0xa4]);

type Argument = Uint8Array | number | bigint | null;

export interface Pkcs11Library {
  /** Calls a function of the library. `accepted`: answers besides `CKR_OK` that are none of a fault. */
  call(name: keyof typeof FUNCTIONS, args: readonly Argument[], accepted?: readonly number[]): void;
  /** Writes a structure of words: a number as it is, bytes as their address. */
  words(...values: readonly (Uint8Array | number | bigint)[]): Uint8Array;
}

const FUNCTIONS = {
  C_Initialize: 'void *',
  C_GetSlotList: 'uint8_t, void *, void *',
  C_GetTokenInfo: 'unsigned long, void *',
  C_OpenSession: 'unsigned long, unsigned long, void *, void *, void *',
  C_CloseSession: 'unsigned long',
  C_Login: 'unsigned long, unsigned long, void *, unsigned long',
  C_FindObjectsInit: 'unsigned long, void *, unsigned long',
  C_FindObjects: 'unsigned long, void *, unsigned long, void *',
  C_FindObjectsFinal: 'unsigned long',
  C_EncryptInit: 'unsigned long, void *, unsigned long',
  C_Encrypt: 'unsigned long, void *, unsigned long, void *, void *',
  C_DecryptInit: 'unsigned long, void *, unsigned long',
  C_Decrypt: 'unsigned long, void *, unsigned long, void *, void *',
} as const;

export async function loadPkcs11(path: string): Promise<Pkcs11Library> {
  if (!SUPPORTED) throw new KekError('PKCS#11 is not supported on this system', true);
  const { default: koffi } = await import('koffi');
  const functions = new Map<string, (...args: readonly Argument[]) => number>();
  try {
    const library = koffi.load(path);
    for (const [name, parameters] of Object.entries(FUNCTIONS)) {
      functions.set(name, library.func(`unsigned long ${name}(${parameters})`));
    }
  } catch {
    throw new KekError(`${path} is no PKCS#11 library that can be loaded`, true);
  }
  // optimised code holds no variable that it does not read any more
  const pointedTo = new WeakMap<Uint8Array, readonly unknown[]>();
  return {
    call(name, args, accepted = []) {
      const answer = functions.get(name)!(...args);
      if (answer === CKR_OK || accepted.includes(answer)) return;
      const meaning = ANSWERS.get(answer) ?? `0x${answer.toString(16)}`;
      throw new KekError(`${name}: ${meaning}`, ABOUT_THE_PIN.has(answer));
    },
    words(...values) {
      const written = Buffer.alloc(WORD_BYTES * values.length);
      values.forEach((value, index) => {
        const word = value instanceof Uint8Array ? koffi.address(value) : BigInt(value);
        written.writeBigUInt64LE(word, WORD_BYTES * index);
      });
      pointedTo.set(written, values);
      return written;
    },
  };
}

/** Room for numbers that the library writes, and the reader of them. */
export function wordsToFill(count: number): {
  readonly bytes: Buffer;
  read(index?: number): bigint;
} {
  const bytes = Buffer.alloc(WORD_BYTES * count);
  return { bytes, read: (index = 0) => bytes.readBigUInt64LE(WORD_BYTES * index) };
}
