/**
 * Outcomes of ledger entries as values for JSON, and read back. They are the gateway's own, in a file that nobody else
 * can have written (`snapshot-author.ts`), so they are trusted as they are.
 */
import { parseBase64, toBase64 } from '@countersign/core/bytes.js';
import { GENESIS_PREV_HASH } from '@countersign/vault/ledger/entry.js';
import type { DecidedRequest, EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { RULES } from '@countersign/vault/ledger/rules.js';
import type { LedgerOperation } from '@countersign/vault/operations/ledger-operation.js';

/** Keeps a value of some MB from being a single line. */
const OUTCOMES_PER_VALUE = 64;

type Told = Omit<
  EntryOutcome,
  'seq' | 'hash' | 'prevHash' | 'sealedCredential' | 'operation' | 'decided' | 'anchored'
>;

/** An operation is kept by name ({@link nameOf}). Bytes are base64. */
interface KeptOutcome extends Told {
  readonly hash: string;
  readonly sealedCredential?: string | undefined;
  readonly operation?: string | undefined;
  readonly decided?: readonly KeptDecision[] | undefined;
  readonly anchored?: readonly KeptHead[] | undefined;
}

type KeptDecision = Omit<DecidedRequest, 'operation'> & { readonly operation: string };
type KeptHead = Omit<NonNullable<EntryOutcome['anchored']>[number], 'hash'> & {
  readonly hash: string;
};

/** `entries`: the first `count` entries of a ledger, from its genesis on. */
export function* keepOutcomes(
  entries: readonly EntryOutcome[],
  count: number,
): Generator<readonly KeptOutcome[]> {
  for (let from = 0; from < count; from += OUTCOMES_PER_VALUE) {
    yield entries.slice(from, Math.min(count, from + OUTCOMES_PER_VALUE)).map(keep);
  }
}

/** Throws on an operation that this release does not have. */
export function* readOutcomes(kept: Iterable<unknown>): Generator<EntryOutcome> {
  let seq = 0;
  let prevHash: Uint8Array = GENESIS_PREV_HASH;
  for (const value of kept) {
    for (const one of value as readonly KeptOutcome[]) {
      const outcome = read(one, (seq += 1), prevHash);
      prevHash = outcome.hash;
      yield outcome;
    }
  }
}

function keep(outcome: EntryOutcome): KeptOutcome {
  const { seq: _place, prevHash: _before, operation, decided, anchored, ...told } = outcome;
  const { hash, sealedCredential } = outcome;
  return {
    ...told,
    hash: toBase64(hash),
    sealedCredential: sealedCredential && toBase64(sealedCredential),
    operation: operation && nameOf(operation),
    decided: decided?.map((one) => ({ ...one, operation: nameOf(one.operation) })),
    anchored: anchored?.map((head) => ({ ...head, hash: toBase64(head.hash) })),
  };
}

function read(kept: KeptOutcome, seq: number, prevHash: Uint8Array): EntryOutcome {
  const { hash, sealedCredential, operation, decided, anchored, ...told } = kept;
  return {
    seq,
    hash: bytesOf(hash),
    prevHash,
    at: told.at,
    listedAt: told.listedAt,
    kind: told.kind,
    refusal: told.refusal,
    actorId: told.actorId,
    operation: operation === undefined ? undefined : operationNamed(operation),
    requestId: told.requestId,
    policy: told.policy,
    subject: told.subject,
    sealedCredential: sealedCredential === undefined ? undefined : bytesOf(sealedCredential),
    judgedBy: told.judgedBy,
    changes: told.changes,
    decided: decided?.map((one) => ({
      ...one,
      operation: operationNamed(one.operation),
      subject: one.subject,
    })),
    anchored: anchored?.map((head) => ({ ...head, hash: bytesOf(head.hash) })),
    ...(told.fault !== undefined && { fault: told.fault }),
  };
}

/** An operation that a later version of the rules left unchanged keeps the name from the earlier version. */
const NAMED = RULES.toReversed().flatMap(({ version, operations }) =>
  operations.map((operation) => [`${version}/${operation.id}`, operation] as const),
);
const OPERATIONS = new Map<string, LedgerOperation>(NAMED);
const NAMES = new Map<LedgerOperation, string>(NAMED.map(([name, operation]) => [operation, name]));

function nameOf(operation: LedgerOperation): string {
  const name = NAMES.get(operation);
  if (name === undefined) throw new Error(`${operation.id} is no operation of the ledger`);
  return name;
}

function operationNamed(name: string): LedgerOperation {
  const operation = OPERATIONS.get(name);
  if (operation === undefined) throw new Error(`there is no operation ${name}`);
  return operation;
}

function bytesOf(text: string): Buffer {
  const bytes = parseBase64(text);
  if (bytes === undefined) throw new Error('bytes are not in base64');
  return bytes;
}
