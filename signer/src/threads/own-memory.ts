/** Bytes that are posted to a thread take nothing else of the process with them. */
import type { CallerKey } from '@countersign/core/caller-key.js';
import type { LoneStatement } from './lone-statement.js';
import type { LeadItem, PartnerItem } from './thread-tasks.js';

/**
 * Returns a view with memory of its own. Posting a view posts all the memory behind it: for bytes read from a socket
 * that is a 64 KiB slab, holding whatever else was read.
 */
export function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes);
}

/** Returns the view that an item is to have in place of its own. */
type Replace = (bytes: Uint8Array) => Uint8Array;

export function ownPartnerItems(items: readonly PartnerItem[]): PartnerItem[] {
  return inOneMemory(items, (item, replace) => ({
    ...withMathsInput(item, replace),
    leadCommitment: replace(item.leadCommitment),
    ...(item.statement !== undefined && { statement: replace(item.statement) }),
  }));
}

export function ownLeadItems(items: readonly LeadItem[]): LeadItem[] {
  return inOneMemory(items, (item, replace) => ({
    ...withMathsInput(item, replace),
    contribution: replace(item.contribution),
    ...(item.statement !== undefined && { statement: ownStatement(item.statement, replace) }),
  }));
}

function ownStatement({ head, before, after }: LoneStatement, replace: Replace): LoneStatement {
  return { head: replace(head), before: replace(before), after: replace(after) };
}

/**
 * Puts the bytes of all items side by side in one memory, which holds nothing else. It is posted once for all of them:
 * a memory for each view costs more than twice the processor time, on both sides.
 */
function inOneMemory<T>(items: readonly T[], copy: (item: T, replace: Replace) => T): T[] {
  let length = 0;
  const measure: Replace = (bytes) => {
    length += bytes.length;
    return bytes;
  };
  for (const item of items) copy(item, measure);
  const memory = new Uint8Array(length);
  let at = 0;
  const place: Replace = (bytes) => {
    memory.set(bytes, at);
    at += bytes.length;
    return memory.subarray(at - bytes.length, at);
  };
  return items.map((item) => copy(item, place));
}

/** Passkeys are texts and need no copy. */
function withCallerKey(key: CallerKey, replace: Replace): CallerKey {
  return key.kind === 'ed25519' ? { ...key, publicKey: replace(key.publicKey) } : key;
}

function withMathsInput<T extends PartnerItem | LeadItem>(item: T, replace: Replace): T {
  const { evidence, key } = item;
  return {
    ...item,
    evidence: {
      digest: replace(evidence.digest),
      assertion: replace(evidence.assertion),
      callerKey: withCallerKey(evidence.callerKey, replace),
    },
    key: {
      keyId: key.keyId,
      version: key.version,
      type: key.type,
      wrappedDek: replace(key.wrappedDek),
      sealed: replace(key.sealed),
      publicKey: replace(key.publicKey),
    },
    message: replace(item.message),
  };
}
