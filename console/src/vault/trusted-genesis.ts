/** The genesis that somebody trusts, brought from a party's machine: public, and kept in this browser. */
import { parsePinnedVault, type PinnedVault } from '@countersign/client/pinned-vault.js';

const KEPT = 'countersign.genesis';

/** Undefined for anything else than what `countersign genesis` prints. */
export function pinnedFrom(text: string | null): PinnedVault | undefined {
  try {
    return parsePinnedVault(JSON.parse(text ?? ''));
  } catch {
    return undefined;
  }
}

export function keptGenesis(): PinnedVault | undefined {
  return pinnedFrom(localStorage.getItem(KEPT));
}

export function keepGenesis(text: string): void {
  localStorage.setItem(KEPT, text);
}
