/**
 * The version of what running processes say to each other: signing jobs and their replies, and messages between
 * parties. There is one number for all of it. A process offers the versions that it speaks, and each exchange uses the
 * newest that all its ends speak. So a release that changes a form speaks two versions, and works beside the release
 * before it.
 *
 * The forms by which versions are offered never change: the presence of a replica, and the handshake of two parties.
 */
import type { Bytes } from '@countersign/core/bytes.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';

export interface SpokenVersions {
  readonly oldest: number;
  readonly newest: number;
}

/**
 * Of this release. In version 1 signing jobs name no span; the next release leaves it behind. The tests of jobs, replies
 * and party messages record the forms of each version: a change to one takes a new version.
 */
export const SPOKEN: SpokenVersions = { oldest: 1, newest: 2 };

/** A version takes one byte, and 0 is none. */
const MAX_VERSION = 255;

/** Something genuine, in a version that this process does not speak. It accuses nobody: another release made it. */
export class ForeignVersionError extends Error {
  constructor(version: number, { oldest, newest }: SpokenVersions) {
    super(
      `it has version ${version} of the protocol, and this process speaks ${oldest} to ${newest}`,
    );
  }
}

/** What is sealed under the evidence key has this form in every version: version u8 ‖ seal, which covers the version. */
export function sealVersioned(
  keys: Pick<EvidenceKeys, 'seal'>,
  version: number,
  bytes: Bytes,
  context: (version: number) => Buffer,
): Buffer {
  return Buffer.concat([Buffer.from([version]), keys.seal(bytes, context(version))]);
}

/** Throws EvidenceSealError for what nobody sealed, ForeignVersionError for what somebody sealed in a foreign version. */
export function openVersioned(
  keys: Pick<EvidenceKeys, 'open'>,
  bytes: Bytes,
  context: (version: number) => Buffer,
  spoken: SpokenVersions,
): { readonly version: number; readonly plain: Buffer } {
  const version = bytes[0] ?? 0;
  const plain = keys.open(bytes.subarray(1), context(version));
  if (version >= spoken.oldest && version <= spoken.newest) return { version, plain };
  throw new ForeignVersionError(version, spoken);
}

/** The newest version that all of them speak; undefined if there is none. */
export function commonVersion(...all: readonly SpokenVersions[]): number | undefined {
  const newest = Math.min(...all.map((spoken) => spoken.newest));
  return all.every(({ oldest }) => oldest <= newest) ? newest : undefined;
}

/** Undefined for what no process offers, which counts as nothing. */
export function spokenVersions(oldest: number, newest: number): SpokenVersions | undefined {
  return 1 <= oldest && oldest <= newest && newest <= MAX_VERSION ? { oldest, newest } : undefined;
}

export function versionsText({ oldest, newest }: SpokenVersions): string {
  return `${oldest}-${newest}`;
}
