/** The part of DER (ITU-T X.690) that key files and key objects need. */
import { toBytes } from './big-integers.js';

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

/** `truncated`: the input ends before an element does. `malformed`: it is no DER, or not the form asked for. */
export class DerError extends RangeError {
  readonly fault: 'truncated' | 'malformed';

  constructor(fault: DerError['fault']) {
    super(`${fault} DER`);
    this.name = 'DerError';
    this.fault = fault;
  }
}

/** The first element of `bytes`, and what follows it. Throws DerError. */
export function readDer(bytes: Buffer): { element: DerElement; rest: Buffer } {
  const [tag, first] = bytes;
  if (tag === undefined || first === undefined) throw new DerError('truncated');
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  // 0x80 is BER's indefinite length; more than three bytes would be beyond any key
  if (first === 0x80 || lengthBytes > 3) throw new DerError('malformed');
  const start = 2 + lengthBytes;
  if (bytes.length < start) throw new DerError('truncated');
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(2, lengthBytes);
  if (bytes.length < start + length) throw new DerError('truncated');
  const content = bytes.subarray(start, start + length);
  return { element: { tag, content }, rest: bytes.subarray(start + length) };
}

/** `bytes` as elements one after the other. Throws DerError. */
export function readDerElements(bytes: Buffer): DerElement[] {
  const elements: DerElement[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const next = readDer(rest);
    elements.push(next.element);
    rest = next.rest;
  }
  return elements;
}

/** The elements inside a SEQUENCE that spans all of `bytes`. Throws DerError. */
export function readDerSequence(bytes: Buffer): DerElement[] {
  const { element, rest } = readDer(bytes);
  if (element.tag !== DER_TAG.sequence || rest.length > 0) throw new DerError('malformed');
  return readDerElements(element.content);
}

/** One element; up to 65,535 bytes of content. */
export function writeDer(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const header =
    length < 0x80
      ? [tag, length]
      : length < 0x100
        ? [tag, 0x81, length]
        : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(header), ...parts]);
}

/** INTEGER of a value that is not negative. */
export function writeDerInteger(value: bigint): Buffer {
  const bytes = value === 0n ? Buffer.alloc(1) : toBytes(value);
  const isTopBitSet = ((bytes[0] ?? 0) & 0x80) !== 0;
  return writeDer(DER_TAG.integer, isTopBitSet ? Buffer.concat([Buffer.alloc(1), bytes]) : bytes);
}
