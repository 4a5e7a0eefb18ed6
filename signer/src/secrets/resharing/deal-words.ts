/** The hashes that parties of a resharing give and compare. */
import { ByteWriter, type Bytes } from '@countersign/core/bytes.js';
import { sha256 } from '@countersign/core/hash.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { ResharingContext } from '../../threads/resharing-tasks.js';

const WORD_DOMAIN = 'countersign resharing word v1';
const TRANSCRIPT_DOMAIN = 'countersign resharing transcript v1';
const SHARES_DOMAIN = 'countersign resharing shares v1';

export const HASH_BYTES = 32;

/**
 * What a dealer says before it shows what it publishes. So it has chosen before it sees what the other chose.
 * `published` holds something random and secret, so that nobody can guess it.
 */
export function dealWord(context: ResharingContext, dealer: PartyNumber, published: Bytes): Buffer {
  return sha256(inContext(WORD_DOMAIN, context).u8(dealer).field(published).bytes());
}

/** Over what both dealers published, in their order. */
export function dealTranscript(context: ResharingContext, published: readonly Bytes[]): Buffer {
  const writer = inContext(TRANSCRIPT_DOMAIN, context);
  for (const one of published) writer.field(one);
  return sha256(writer.bytes());
}

/** What the parties attest: over the transcript and all that is public in the new shares. */
export function sharesHash(transcript: Bytes, publicValues: Bytes): Buffer {
  return sha256(
    new ByteWriter().field(SHARES_DOMAIN).field(transcript).field(publicValues).bytes(),
  );
}

/** Begins a text that belongs to one use in one resharing. */
export function inContext(domain: string, context: ResharingContext): ByteWriter {
  const { session, keyId, version, type, publicKey, dealers } = context;
  return new ByteWriter()
    .field(domain)
    .field(session)
    .field(keyId)
    .u32(version)
    .field(type)
    .field(publicKey)
    .u8(dealers[0])
    .u8(dealers[1]);
}
