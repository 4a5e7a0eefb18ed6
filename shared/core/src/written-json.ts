/**
 * JSON values that keep the written form of numbers. `0.01` and `0.010000000000000000001` are one binary fraction and
 * two amounts. A limit that compared the fraction would let the second pass, and a venue that reads decimals would
 * take more than the rule allows.
 */
import type { Bytes } from './bytes.js';
import { endOfString, parseStrictly, stringBetween, type JsonResult } from './strict-json.js';

/** A number of a JSON text. Its text is the original one; JSON.stringify makes a binary fraction of it. */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }

  toJSON(): number {
    return Number(this.text);
  }
}

/** A text, or a number as it was written; undefined for any other value. */
export function writtenText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return value instanceof JsonNumber ? value.text : undefined;
}

/** Whether two values are the same text, truth value or null, or numbers that were written alike. */
export function isWrittenAlike(one: unknown, other: unknown): boolean {
  if (one instanceof JsonNumber && other instanceof JsonNumber) return one.text === other.text;
  return one === other;
}

interface Reading {
  readonly text: string;
  at: number;
}

const NUMBER = /[-+.0-9eE]+/y;
const LITERALS = { t: true, f: false, n: null } as const;

/** Reads a text that JSON.parse has accepted and that is not nested deeply: other texts are not allowed. */
function readWrittenJson(text: string): unknown {
  return readValue({ text, at: 0 });
}

function readValue(from: Reading): unknown {
  const first = nextChar(from);
  if (first === '{') return readObject(from);
  if (first === '[') return readList(from);
  if (first === '"') return readString(from);
  if (first in LITERALS) {
    from.at += first === 'f' ? 5 : 4;
    return LITERALS[first as keyof typeof LITERALS];
  }
  NUMBER.lastIndex = from.at;
  const [written = ''] = NUMBER.exec(from.text) ?? [];
  from.at += written.length;
  return new JsonNumber(written);
}

function readObject(from: Reading): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  from.at += 1;
  while (nextChar(from) === '"') {
    const name = readString(from);
    nextChar(from);
    from.at += 1; // the colon
    object[name] = readValue(from);
    skip(from, ',');
  }
  from.at += 1;
  return object;
}

function readList(from: Reading): unknown[] {
  const list: unknown[] = [];
  from.at += 1;
  for (let next = nextChar(from); next !== ']' && next !== ''; next = nextChar(from)) {
    list.push(readValue(from));
    skip(from, ',');
  }
  from.at += 1;
  return list;
}

function readString(from: Reading): string {
  const start = from.at;
  const end = endOfString(from.text, start);
  from.at = end + 1;
  return stringBetween(from.text, start, end);
}

function skip(from: Reading, char: string): void {
  if (nextChar(from) === char) from.at += 1;
}

/** The next character that is no white space; empty at the end. */
function nextChar(from: Reading): string {
  while (' \n\r\t'.includes(from.text[from.at] ?? '-')) from.at += 1;
  return from.text[from.at] ?? '';
}

/** As {@link parseStrictJson}, with every number as a {@link JsonNumber}: for texts that hold amounts. */
export function parseWrittenJson(bytes: Bytes): JsonResult {
  return parseStrictly(bytes, readWrittenJson);
}
