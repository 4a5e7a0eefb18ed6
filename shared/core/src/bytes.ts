/**
 * Length-prefixed binary encoding: the form of everything in this product that is hashed, signed or
 * sealed. Integers are little-endian; a variable field is preceded by its length as u32, so two
 * different sequences of fields never give the same bytes.
 */

import { isUtf8 } from 'node:buffer';

export type Bytes = Uint8Array;

const TWO_TO_32 = 2 ** 32;

/** A number is written in its width; a field of bytes or text has its length before it. */
type Part =
  | { readonly width: 1 | 4 | 8; readonly value: number | bigint }
  | { readonly width: 0; readonly value: Bytes | string; readonly isField: boolean };

/** Collects the parts and writes them once: no part is copied before, as some are secrets. */
export class ByteWriter {
  private readonly parts: Part[] = [];
  private length = 0;

  u8(value: number): this {
    return this.number(1, value);
  }

  u32(value: number): this {
    return this.number(4, value);
  }

  u64(value: number | bigint): this {
    return this.number(8, value);
  }

  /** Bytes whose length both sides know. */
  fixed(value: Bytes): this {
    this.parts.push({ width: 0, value, isField: false });
    this.length += value.length;
    return this;
  }

  /** A field preceded by its length; strings are UTF-8. */
  field(value: Bytes | string): this {
    this.parts.push({ width: 0, value, isField: true });
    this.length += 4 + (typeof value === 'string' ? Buffer.byteLength(value) : value.length);
    return this;
  }

  /** Throws RangeError for a number that does not fit. */
  bytes(): Buffer {
    const bytes = Buffer.allocUnsafe(this.length);
    let at = 0;
    for (const part of this.parts) at = writePart(bytes, at, part);
    return bytes;
  }

  private number(width: 1 | 4 | 8, value: number | bigint): this {
    this.parts.push({ width, value });
    this.length += width;
    return this;
  }
}

function writePart(bytes: Buffer, at: number, part: Part): number {
  switch (part.width) {
    case 1:
      return bytes.writeUInt8(Number(part.value), at);
    case 4:
      return bytes.writeUInt32LE(Number(part.value), at);
    case 8:
      return writeU64(bytes, at, part.value);
    case 0: {
      const { value, isField } = part;
      const start = isField ? at + 4 : at;
      const end = start + writeValue(bytes, start, value);
      if (isField) bytes.writeUInt32LE(end - start, at);
      return end;
    }
  }
}

/** Makes no BigInt if the value is none: lengths and times are written by the million. */
function writeU64(bytes: Buffer, at: number, value: number | bigint): number {
  if (!Number.isSafeInteger(value) || value < 0) return bytes.writeBigUInt64LE(BigInt(value), at);
  const [high, low] = [Math.floor(Number(value) / TWO_TO_32), Number(value) % TWO_TO_32];
  return bytes.writeUInt32LE(high, bytes.writeUInt32LE(low, at));
}

function writeValue(bytes: Buffer, at: number, value: Bytes | string): number {
  if (typeof value === 'string') return bytes.write(value, at, 'utf8');
  bytes.set(value, at);
  return value.length;
}

/** Reads what {@link ByteWriter} wrote. Every method throws RangeError past the end. */
export class ByteReader {
  private readonly buffer: Buffer;
  private offset = 0;

  constructor(bytes: Bytes) {
    this.buffer = asBuffer(bytes);
  }

  u8(): number {
    return this.buffer.readUInt8(this.pass(1));
  }

  u32(): number {
    return this.buffer.readUInt32LE(this.pass(4));
  }

  /** A u64 that must be a safe integer. */
  u64(): number {
    const at = this.pass(8);
    const value = this.buffer.readUInt32LE(at + 4) * TWO_TO_32 + this.buffer.readUInt32LE(at);
    if (value > Number.MAX_SAFE_INTEGER) throw new RangeError('u64 out of safe range');
    return value;
  }

  u64Big(): bigint {
    return this.buffer.readBigUInt64LE(this.pass(8));
  }

  fixed(length: number): Buffer {
    const start = this.pass(length);
    return this.buffer.subarray(start, this.offset);
  }

  field(): Buffer {
    return this.fixed(this.u32());
  }

  /** Throws RangeError unless the field is UTF-8: two spellings must not read as one text. */
  text(): string {
    const field = this.field();
    if (!isUtf8(field)) throw new RangeError('not UTF-8');
    return field.toString('utf8');
  }

  get isAtEnd(): boolean {
    return this.offset === this.buffer.length;
  }

  /** Throws unless every byte was read: trailing bytes are never ignored. */
  end(): void {
    if (!this.isAtEnd) throw new RangeError('trailing bytes');
  }

  /** Moves past `length` bytes, and returns where they begin. */
  private pass(length: number): number {
    const start = this.offset;
    if (start + length > this.buffer.length) throw new RangeError('truncated');
    this.offset = start + length;
    return start;
  }
}

/** The same memory as a Buffer; no copy. */
export function asBuffer(bytes: Bytes): Buffer {
  return Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function toHex(bytes: Bytes): string {
  return asBuffer(bytes).toString('hex');
}

export function toBase64(bytes: Bytes): string {
  return asBuffer(bytes).toString('base64');
}

/** Standard base64 with padding, in its one canonical spelling, or undefined. */
export function parseBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

/** base64url without padding (RFC 4648 section 5), in its one canonical spelling, or undefined. */
export function parseBase64Url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}

/** Lower-case hex, or undefined. */
export function parseHex(text: string): Buffer | undefined {
  return /^(?:[0-9a-f]{2})*$/.test(text) ? Buffer.from(text, 'hex') : undefined;
}
