/**
 * Prices in US dollars, signed by a relay: all of one moment together, so that nobody between the relay and a reader
 * can change one, take one away or join those of two moments.
 */
import { ByteReader, ByteWriter, type Bytes } from './bytes.js';
import { compareDecimals, isDecimal } from './decimal.js';

export interface PriceSnapshot {
  /** The relay's name. */
  readonly relay: string;
  /** When the relay took the prices, ms since the Unix epoch. */
  readonly at: number;
  /** Names of the sources that they were taken from. */
  readonly sources: readonly string[];
  /** The price of one unit by asset, e.g. `BTC`, in USD; a decimal string above zero. */
  readonly prices: ReadonlyMap<string, string>;
}

/** One price that decided something, named in a receipt or an answer. */
export interface UsedPrice {
  readonly asset: string;
  /** Price of one unit in USD: a decimal string. */
  readonly price: string;
  /** Time of the snapshot, ms since the Unix epoch. */
  readonly at: number;
  /** Name of the relay that signed the snapshot. */
  readonly relay: string;
}

export interface SignedSnapshot {
  readonly snapshot: PriceSnapshot;
  /** The bytes that are signed. */
  readonly message: Bytes;
  /** Ed25519, 64 bytes. */
  readonly signature: Bytes;
}

const ASSET = /^[A-Z0-9]{1,16}$/;
const NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const MAX_PRICES = 1_000;
const MAX_SOURCES = 32;

/** Names of assets are upper case, as most exchanges write them. */
export function isAssetName(text: string): boolean {
  return ASSET.test(text);
}

/** Whether it can name a relay or a source. */
export function isPriceName(text: string): boolean {
  return NAME.test(text);
}

/** Zero is no price: anything multiplied by it would be worth nothing. */
export function isPrice(text: string): boolean {
  return isDecimal(text) && compareDecimals(text, '0') > 0;
}

/** The bytes that a relay signs. */
export function snapshotMessage({ relay, at, sources, prices }: PriceSnapshot): Buffer {
  const writer = new ByteWriter().field('countersign prices v1').field(relay).u64(at);
  writer.u32(sources.length);
  for (const source of sources) writer.field(source);
  writer.u32(prices.size);
  for (const asset of [...prices.keys()].toSorted()) writer.field(asset).field(prices.get(asset)!);
  return writer.bytes();
}

export function encodeSignedSnapshot(message: Bytes, signature: Bytes): Buffer {
  return new ByteWriter().field(message).fixed(signature).bytes();
}

/** The signature is still to be verified. Throws RangeError on malformed bytes. */
export function decodeSignedSnapshot(bytes: Bytes): SignedSnapshot {
  const reader = new ByteReader(bytes);
  const message = reader.field();
  const signature = reader.fixed(64);
  reader.end();
  return { snapshot: decodeMessage(message), message, signature };
}

function decodeMessage(message: Bytes): PriceSnapshot {
  const reader = new ByteReader(message);
  require(reader.text() === 'countersign prices v1');
  const relay = reader.text();
  const at = reader.u64();
  const sources = readMany(reader, MAX_SOURCES, () => reader.text());
  const listed = readMany(reader, MAX_PRICES, () => [reader.text(), reader.text()] as const);
  reader.end();
  const prices = new Map(listed);
  require([relay, ...sources].every(isPriceName) && prices.size === listed.length);
  require(listed.every(([asset, price]) => isAssetName(asset) && isPrice(price)));
  return { relay, at, sources, prices };
}

function readMany<Item>(reader: ByteReader, max: number, read: () => Item): Item[] {
  const count = reader.u32();
  require(count <= max);
  return Array.from({ length: count }, read);
}

function require(holds: boolean): asserts holds {
  if (!holds) throw new RangeError('no snapshot of prices');
}
