/**
 * A file with what a party's fold came to at one place of the ledger, signed by the party. First a line that says what
 * it is, then the lines of the fold, last the signature over the digest of all that comes before it.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parseBase64, toBase64 } from '@countersign/core/bytes.js';
import { sha256 } from '@countersign/core/hash.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { snapshotMessage, type LedgerSnapshot } from '@countersign/core/party-words.js';
import { z } from 'zod';
import { replaceDurably } from '../process/replace-durably.js';

const labelSchema = z.strictObject({
  format: z.string(),
  genesis_hash: z.hex().length(64),
  party: z.literal(PARTY_NUMBERS),
  seq: z.int().positive(),
  hash: z.hex().length(64),
});

/** What a snapshot is of. */
export interface SnapshotLabel {
  /** How it is written, and by which rules it was folded: see `SAVED_FOLD_FORMAT`. */
  readonly format: string;
  /** Hex. */
  readonly genesisHash: string;
  readonly party: PartyNumber;
  readonly seq: number;
  /** Of entry `seq`, hex. */
  readonly hash: string;
}

export interface ReadSnapshot {
  readonly label: SnapshotLabel;
  /** What was signed, if it was. */
  readonly word: LedgerSnapshot;
  readonly signature: Uint8Array;
  /** Those behind the label: to be believed for the signature alone. */
  readonly lines: Iterator<string, undefined>;
}

/** Small lines are written together, chars. */
const PIECE = 64 * 1024;
const LINE_BREAK = 0x0a;

/** `sign`: by the party's identity key. Resolves once the file would survive a loss of power. */
export async function writeSnapshot(
  path: string,
  label: SnapshotLabel,
  lines: Iterable<string>,
  sign: (message: Uint8Array) => Promise<Uint8Array>,
): Promise<void> {
  await replaceDurably(path, signedText(label, lines, sign));
}

async function* signedText(
  { genesisHash, ...label }: SnapshotLabel,
  lines: Iterable<string>,
  sign: (message: Uint8Array) => Promise<Uint8Array>,
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
  const word = wordOf({ ...label, genesisHash }, digest.update(piece).digest());
  const signature = await sign(snapshotMessage(word, genesisHash));
  yield `${piece}${toBase64(signature)}\n`;
}

function wordOf({ party, seq, hash }: SnapshotLabel, digest: Buffer): LedgerSnapshot {
  return { party, seq, hash: Buffer.from(hash, 'hex'), digest };
}

/** Undefined where there is none. Throws on what is none; whether it is signed is not looked at. */
export async function readSnapshot(path: string): Promise<ReadSnapshot | undefined> {
  const bytes = await readIfThere(path);
  if (bytes === undefined) return undefined;
  const end = bytes.lastIndexOf(LINE_BREAK, bytes.length - 2) + 1;
  const signature = parseBase64(bytes.toString('latin1', end, bytes.length - 1));
  if (signature === undefined || bytes.at(-1) !== LINE_BREAK) throw new Error('it has no end');
  const lines = linesOf(bytes.subarray(0, end));
  const { genesis_hash: genesisHash, ...rest } = labelSchema.parse(
    JSON.parse(lines.next().value ?? ''),
  );
  const label = { ...rest, genesisHash };
  return { label, word: wordOf(label, sha256(bytes.subarray(0, end))), signature, lines };
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
