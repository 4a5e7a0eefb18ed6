/**
 * Records: fields in one order. Their layout stands in one place, for whoever writes, signs and reads them. What is
 * read back is bounded; what is written is our own.
 */
import { ByteWriter, toHex, type ByteReader, type Bytes } from './bytes.js';
import type { PartyNumber } from './parties.js';

export interface Field<Value> {
  write(writer: ByteWriter, value: Value): void;
  /** Throws RangeError for bytes that are no such value. */
  read(reader: ByteReader): Value;
}

/** By name, in order. */
export type Layout = Readonly<Record<string, Field<unknown>>>;

export type Recorded<L extends Layout> = {
  readonly [Name in keyof L]: L[Name] extends Field<infer Value> ? Value : never;
};

/** The last millisecond of the year 9999: every time in the ledger lies before it, and prints. */
export const MAX_TIME_MS = 253_402_300_799_999;

export const party: Field<PartyNumber> = {
  write: (writer, value) => writer.u8(value),
  read(reader) {
    const value = reader.u8();
    if (value !== 1 && value !== 2 && value !== 3) throw new RangeError('unknown party');
    return value;
  },
};

export const u32: Field<number> = {
  write: (writer, value) => writer.u32(value),
  read: (reader) => reader.u32(),
};

export const u64: Field<number> = {
  write: (writer, value) => writer.u64(value),
  read: (reader) => reader.u64(),
};

/** ms since the Unix epoch. */
export const time: Field<number> = { write: u64.write, read: readTime };

export function readTime(reader: ByteReader): number {
  const value = reader.u64();
  if (value > MAX_TIME_MS) throw new RangeError('a time out of range');
  return value;
}

/** Bytes of any length. */
export const bytes: Field<Bytes> = {
  write: (writer, value) => writer.field(value),
  read: (reader) => reader.field(),
};

export const text: Field<string> = {
  write: (writer, value) => writer.field(value),
  read: (reader) => reader.text(),
};

export function matching(pattern: RegExp, what: string): Field<string> {
  return {
    write: text.write,
    read(reader) {
      const value = reader.text();
      if (!pattern.test(value)) throw new RangeError(`not ${what}`);
      return value;
    },
  };
}

export function fixed(length: number): Field<Bytes> {
  return {
    write: (writer, value) => writer.fixed(value),
    read: (reader) => reader.fixed(length),
  };
}

/** So many bytes, as hex. */
export function hex(length: number): Field<string> {
  return {
    write: (writer, value) => writer.fixed(Buffer.from(value, 'hex')),
    read: (reader) => toHex(reader.fixed(length)),
  };
}

/** At most so many records; `what`: plural, for the error. */
export function listOf<L extends Layout>(
  layout: L,
  most: number,
  what: string,
): Field<readonly Recorded<L>[]> {
  return {
    write(writer, items) {
      writer.u32(items.length);
      for (const item of items) writeRecord(writer, layout, item);
    },
    read(reader) {
      const count = reader.u32();
      if (count > most) throw new RangeError(`too many ${what}`);
      return Array.from({ length: count }, () => readRecord(reader, layout));
    },
  };
}

export function writeRecord<L extends Layout>(
  writer: ByteWriter,
  layout: L,
  record: Recorded<L>,
): ByteWriter {
  for (const [name, field] of Object.entries(layout)) field.write(writer, record[name]);
  return writer;
}

export function readRecord<L extends Layout>(reader: ByteReader, layout: L): Recorded<L> {
  const fields = Object.entries(layout).map(([name, field]) => [name, field.read(reader)]);
  return Object.fromEntries(fields) as Recorded<L>;
}

/**
 * The bytes that a party signs with its identity key to state the record. Each kind of statement begins with a text of
 * its own, so that none can be taken for another; and it names the genesis (hex), so that it means nothing in another
 * vault.
 */
export function statementMessage<L extends Layout>(
  domain: string,
  layout: L,
): (record: Recorded<L>, genesisHash: string) => Buffer {
  return (record, genesisHash) =>
    writeRecord(new ByteWriter().field(domain).field(genesisHash), layout, record).bytes();
}
