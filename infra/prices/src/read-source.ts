/** Asks one source for its prices. What it says is a number in somebody's file: it is read as strictly as an amount. */
import { readFile, stat } from 'node:fs/promises';
import { isRefusal } from '@countersign/core/errors.js';
import { isPrice } from '@countersign/core/price-snapshot.js';
import { writtenText, parseWrittenJson } from '@countersign/core/written-json.js';
import type { PriceSource } from './relay-sources.js';

const WITHIN_MS = 4_000;
const MAX_BYTES = 4 * 1024 * 1024;

/** By asset: the price of one in USD, a decimal string. Rejects when the source cannot be asked, or is too old. */
export async function readSource(
  source: PriceSource,
  now: number,
): Promise<ReadonlyMap<string, string>> {
  const { bytes, at } = source.type === 'file' ? await readFrom(source) : await askAt(source, now);
  const answer = parseAnswer(bytes);
  const saidAt = source.type === 'http' ? timeOf(answer, source.time, at) : at;
  if (now - saidAt > source.max_age_s * 1_000) throw new Error('its prices are too old');
  return pricesIn(answer, source.prices);
}

interface Said {
  readonly bytes: Buffer;
  /** ms. */
  readonly at: number;
}

async function readFrom({ file }: Extract<PriceSource, { type: 'file' }>): Promise<Said> {
  const { mtimeMs, size } = await stat(file);
  if (size > MAX_BYTES) throw new Error('is too long');
  return { bytes: await readFile(file), at: mtimeMs };
}

async function askAt({ url }: Extract<PriceSource, { type: 'http' }>, now: number): Promise<Said> {
  const signal = AbortSignal.timeout(WITHIN_MS);
  const response = await fetch(url, { redirect: 'error', signal });
  if (response.status !== 200) throw new Error(`answered ${response.status}`);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > MAX_BYTES) throw new Error('is too long');
    chunks.push(chunk);
  }
  return { bytes: Buffer.concat(chunks), at: now };
}

/** Numbers stay as they were written. */
function parseAnswer(bytes: Buffer): unknown {
  const parsed = parseWrittenJson(bytes);
  if (isRefusal(parsed)) throw new Error(parsed.message);
  return parsed.value;
}

function timeOf(
  answer: unknown,
  place: Extract<PriceSource, { type: 'http' }>['time'],
  asked: number,
): number {
  if (place === undefined) return asked;
  const text = writtenText(valueAt(answer, place.pointer)) ?? '';
  const at =
    place.unit === 'rfc3339' ? Date.parse(text) : Number(text) * (place.unit === 's' ? 1_000 : 1);
  if (text === '' || !Number.isFinite(at)) throw new Error('it does not state its time');
  return at;
}

/** What is missing, or no price, is left out: whoever needs it finds that it is not there. */
export function pricesIn(
  answer: unknown,
  places: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  const found = Object.entries(places).flatMap(([asset, pointer]) => {
    const price = writtenText(valueAt(answer, pointer));
    return price !== undefined && isPrice(price) ? [[asset, price] as const] : [];
  });
  return new Map(found);
}

/** RFC 6901. Undefined for what is not there. */
function valueAt(answer: unknown, pointer: string): unknown {
  const names = pointer.split('/').slice(1);
  return names.reduce<unknown>((value, name) => {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
    const isHeld = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
    return isHeld ? (value as Record<string, unknown>)[key] : undefined;
  }, answer);
}
