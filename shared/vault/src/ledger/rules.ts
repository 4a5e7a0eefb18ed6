/**
 * The rules by which entries are judged. Countersignatures in the ledger name the version under which an entry was
 * judged. A release keeps every version that ever was, and never reads an old entry anew. Whoever changes what an
 * entry means adds a version.
 */
import type { Rules } from './judging.js';
import { rulesVersion1 } from './rules-version-1.js';

/** All versions that this release has, the oldest first. */
export const RULES: readonly Rules[] = [rulesVersion1];

export const NEWEST_RULES = Math.max(...RULES.map(({ version }) => version));
