/**
 * Length-prefixed binary encoding: the form of everything in this product that is hashed, signed or
 * sealed. Integers are little-endian; a variable field is preceded by its length as u32, so two
 * different sequences of fields never give the same bytes.
 */

import { isUtf8 } from 'node:buffer';

export type Bytes = Uint8Array;

/** A number is written in its width; of bytes and texts a field has its length before it. */
type Part =
  | { readonly width: 1 | 4 | 8; readonly value: number | bigint }
  | { readonly width: 0; readonly value: Bytes | string; readonly isField: boolean };

/** Notes what is to be written and writes it once: no part is copied before, as some are secrets. */
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
      return bytes.writeBigUInt64LE(BigInt(part.value), at);
    case 0: {
      const { value, isField } = part;
      const start = isField ? at + 4 : at;
      const end = start + writeValue(bytes, start, value);
      if (isField) bytes.writeUInt32LE(end - start, at);
      return end;
    }
  }
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
    return this.take(1).readUInt8();
  }

  u32(): number {
    return this.take(4).readUInt32LE();
  }

  /** A u64 that must be a safe integer. */
  u64(): number {
    const value = this.take(8).readBigUInt64LE();
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError('u64 out of safe range');
    return Number(value);
  }

  u64Big(): bigint {
    return this.take(8).readBigUInt64LE();
  }

  fixed(length: number): Buffer {
    return this.take(length);
  }

  field(): Buffer {
    return this.take(this.u32());
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

  private take(length: number): Buffer {
    const end = this.offset + length;
    if (end > this.buffer.length) throw new RangeError('truncated');
    const part = this.buffer.subarray(this.offset, end);
    this.offset = end;
    return part;
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
