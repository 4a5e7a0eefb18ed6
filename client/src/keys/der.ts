/** As much of DER (X.690) as tells one key file from another. */
import { KeyFileError } from './key-file-error.js';

export const DER_TAG = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  sequence: 0x30,
} as const;

export interface DerElement {
  readonly tag: number;
  /** A view of the input, not a copy. */
  readonly content: Buffer;
}

/** The elements inside a SEQUENCE that spans all of `bytes`. */
export function readDerSequence(bytes: Buffer): DerElement[] {
  const { element, rest } = readElement(bytes);
  if (element.tag !== DER_TAG.sequence || rest.length > 0) throw new KeyFileError('malformed');
  return readDerElements(element.content);
}

/** `bytes` as elements one after the other. */
export function readDerElements(bytes: Buffer): DerElement[] {
  const elements: DerElement[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const next = readElement(rest);
    elements.push(next.element);
    rest = next.rest;
  }
  return elements;
}

function readElement(bytes: Buffer): { element: DerElement; rest: Buffer } {
  const [tag, first] = bytes;
  if (tag === undefined || first === undefined) throw new KeyFileError('truncated');
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  // 0x80 is BER's indefinite length; more than three bytes would be beyond any file read here
  if (first === 0x80 || lengthBytes > 3) throw new KeyFileError('malformed');
  const start = 2 + lengthBytes;
  if (bytes.length < start) throw new KeyFileError('truncated');
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(2, lengthBytes);
  if (bytes.length < start + length) throw new KeyFileError('truncated');
  const content = bytes.subarray(start, start + length);
  return { element: { tag, content }, rest: bytes.subarray(start + length) };
}
