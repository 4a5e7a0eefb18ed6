/**
 * A file with a node's fold at one place of the ledger, and the node's own proof. The first line says what it is, then
 * come the lines of the fold. The last line is the proof of the digest of everything before it.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parseBase64, toBase64 } from '@countersign/core/bytes.js';
import { sha256 } from '@countersign/core/hash.js';
import { SAVED_FOLD_FORMAT } from '@countersign/vault/snapshots/saved-fold.js';
import { z } from 'zod';
import { replaceDurably } from '../process/replace-durably.js';
import type { SnapshotStatement } from './snapshot-author.js';

/** The only known part of another release's label. */
const formatSchema = z.object({ format: z.string() });

const labelSchema = z.strictObject({
  format: z.string(),
  genesis_hash: z.hex().length(64),
  author: z.string(),
  seq: z.int().positive(),
  hash: z.hex().length(64),
});

/** Says which fold a snapshot is of. */
export interface SnapshotLabel {
  /** The format, and the rules by which it was folded: see `SAVED_FOLD_FORMAT`. */
  readonly format: string;
  /** Hex. */
  readonly genesisHash: string;
  /** The author of the fold: `SnapshotAuthor.name`. */
  readonly author: string;
  readonly seq: number;
  /** Of entry `seq`, hex. */
  readonly hash: string;
}

export interface ReadSnapshot {
  readonly label: SnapshotLabel;
  /** The author's statement, if the proof is theirs. */
  readonly statement: SnapshotStatement;
  readonly proof: Uint8Array;
  /** The lines after the label: only the proof makes them credible. */
  readonly lines: Iterator<string, undefined>;
}

/** Small lines are written together, chars. */
const PIECE = 64 * 1024;
const LINE_BREAK = 0x0a;

/** Resolves once the file would survive a loss of power. */
export async function writeSnapshot(
  path: string,
  label: SnapshotLabel,
  lines: Iterable<string>,
  prove: (statement: SnapshotStatement) => Promise<Uint8Array>,
): Promise<void> {
  await replaceDurably(path, provenText(label, lines, prove));
}

async function* provenText(
  { genesisHash, ...label }: SnapshotLabel,
  lines: Iterable<string>,
  prove: (statement: SnapshotStatement) => Promise<Uint8Array>,
): AsyncGenerator<string> {
  const digest = createHash('sha256');
  const first: z.input<typeof labelSchema> = { ...label, genesis_hash: genesisHash };
  let piece = `${JSON.stringify(first)}\n`;
  for (const line of lines) {
    piece += `${line}\n`;
    if (piece.length < PIECE) continue;
    digest.update(piece);
    yield piece;
    piece = '';
  }
  const proof = await prove(statementOf({ ...label, genesisHash }, digest.update(piece).digest()));
  yield `${piece}${toBase64(proof)}\n`;
}

function statementOf({ genesisHash, seq, hash }: SnapshotLabel, digest: Buffer): SnapshotStatement {
  return { genesisHash, seq, hash: Buffer.from(hash, 'hex'), digest };
}

/** Undefined if there is none. Throws if it is no snapshot; does not look at whether it is proven. */
export async function readSnapshot(path: string): Promise<ReadSnapshot | undefined> {
  const bytes = await readIfThere(path);
  if (bytes === undefined) return undefined;
  const end = bytes.lastIndexOf(LINE_BREAK, bytes.length - 2) + 1;
  const proof = parseBase64(bytes.toString('latin1', end, bytes.length - 1));
  if (proof === undefined || bytes.at(-1) !== LINE_BREAK) throw new Error('it has no end');
  const lines = linesOf(bytes.subarray(0, end));
  const label = readLabel(JSON.parse(lines.next().value ?? ''));
  return { label, statement: statementOf(label, sha256(bytes.subarray(0, end))), proof, lines };
}

function readLabel(text: unknown): SnapshotLabel {
  if (formatSchema.parse(text).format !== SAVED_FOLD_FORMAT) {
    throw new Error('another release wrote it');
  }
  const { genesis_hash: genesisHash, ...label } = labelSchema.parse(text);
  return { ...label, genesisHash };
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function* linesOf(bytes: Buffer): Generator<string, undefined> {
  let start = 0;
  for (let end = bytes.indexOf(LINE_BREAK); end >= 0; end = bytes.indexOf(LINE_BREAK, start)) {
    yield bytes.toString('utf8', start, end);
    start = end + 1;
  }
  return undefined;
}
