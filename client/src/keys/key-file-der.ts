/** The DER reader of the vault, with faults that say what is wrong with a key file. */
import {
  DerError,
  readDerElements,
  readDerSequence,
  type DerElement,
} from '@countersign/core/der.js';
import { KeyFileError } from './key-file-error.js';

/** The elements inside a SEQUENCE that spans all of `bytes`. Throws KeyFileError. */
export function derSequenceOf(bytes: Buffer): DerElement[] {
  return toldOfFile(() => readDerSequence(bytes));
}

/** `bytes` as elements one after the other. Throws KeyFileError. */
export function derElementsOf(bytes: Buffer): DerElement[] {
  return toldOfFile(() => readDerElements(bytes));
}

function toldOfFile<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof DerError ? new KeyFileError(error.fault) : error;
  }
}
