/**
 * By which rules entries are judged. The version under which an entry was judged stands in the ledger, with
 * the countersignatures: a release keeps every version that it ever had and never reads an old entry anew.
 * Whoever changes what an entry means adds a version.
 */
import type { Rules } from './judging.js';
import { rulesVersion1 } from './rules-version-1.js';

/** All that this release has, the oldest first. */
export const RULES: readonly Rules[] = [rulesVersion1];

export const NEWEST_RULES = Math.max(...RULES.map(({ version }) => version));
