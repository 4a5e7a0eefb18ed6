/** What is posted to a thread takes nothing else of the process with it. */
import type { CallerKey } from '@countersign/core/caller-key.js';
import type { LeadItem, PartnerItem } from './thread-tasks.js';

/**
 * A view with memory of its own. Posting a view posts all the memory behind it: for bytes read from a
 * socket that is a 64 KiB slab, holding whatever else was read.
 */
export function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes);
}

export function ownPartnerItem(item: PartnerItem): PartnerItem {
  return { ...ownMathsInput(item), leadCommitment: ownBytes(item.leadCommitment) };
}

export function ownLeadItem(item: LeadItem): LeadItem {
  return { ...ownMathsInput(item), contribution: ownBytes(item.contribution) };
}

/** Passkeys are texts. */
function ownCallerKey(key: CallerKey): CallerKey {
  return key.kind === 'ed25519' ? { ...key, publicKey: ownBytes(key.publicKey) } : key;
}

function ownMathsInput<T extends PartnerItem | LeadItem>(item: T): T {
  const { evidence, key } = item;
  return {
    ...item,
    evidence: {
      digest: ownBytes(evidence.digest),
      assertion: ownBytes(evidence.assertion),
      callerKey: ownCallerKey(evidence.callerKey),
    },
    key: {
      keyId: key.keyId,
      version: key.version,
      type: key.type,
      wrappedDek: ownBytes(key.wrappedDek),
      sealed: ownBytes(key.sealed),
      publicKey: ownBytes(key.publicKey),
    },
    message: ownBytes(item.message),
  };
}
