/** The log is not the one that was folded so far: somebody rewrote it, or it was damaged. */
export class BrokenChainError extends Error {}

/** Two parties judge by rules that this release does not have. */
export class UnknownRulesError extends Error {}
