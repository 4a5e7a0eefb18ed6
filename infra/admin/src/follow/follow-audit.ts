/**
 * Follows the audit log: hands each entry on, once at least, in the order of its chain. Where it stands is written
 * down after an entry was handed over, so a restart repeats the last few and leaves none out.
 */
import type { AuditChainView, AuditEntryView } from '@countersign/api/service-schema.js';

/** The last entry of a chain that was handed over. */
export interface ChainPosition {
  readonly seq: number;
  /** Hex; absent where whoever started the follower gave a number alone. */
  readonly hash?: string | undefined;
}

/** By the names of chains. */
export type AuditPositions = Readonly<Record<string, ChainPosition>>;

/** The audit log is not what it was: an entry that was handed over is gone, or another. */
export class ChangedLogError extends Error {}

export interface FollowDeps {
  listChains(): Promise<readonly AuditChainView[]>;
  /** What follows `after`, in order and without gaps; empty when there is nothing yet. */
  readChain(name: string, after: number): Promise<readonly AuditEntryView[]>;
  /** Resolves when they are where they should be. */
  handOver(entries: readonly AuditEntryView[]): Promise<void>;
  save(positions: AuditPositions): Promise<void>;
}

/** One look at every chain. Resolves to where each stands now. Throws ChangedLogError. */
export async function followOnce(deps: FollowDeps, start: AuditPositions): Promise<AuditPositions> {
  let positions = start;
  const chains = await deps.listChains();
  requireAllListed(chains, positions);
  for (const { name, seq } of chains) {
    for (;;) {
      const position = positions[name] ?? { seq: 0 };
      if (seq < position.seq) throw shorter(name, seq, position);
      if (seq === position.seq) break;
      const entries = await deps.readChain(name, position.seq);
      const last = entries.at(-1);
      if (last === undefined) break;
      requireLinked(name, position, entries);
      await deps.handOver(entries);
      positions = { ...positions, [name]: { seq: last.seq, hash: last.hash } };
      await deps.save(positions);
    }
  }
  return positions;
}

/** A chain never ends: one that is listed no more was taken away with all its entries. */
function requireAllListed(chains: readonly AuditChainView[], positions: AuditPositions): void {
  const listed = new Set(chains.map(({ name }) => name));
  for (const [name, { seq }] of Object.entries(positions)) {
    if (seq === 0 || listed.has(name)) continue;
    throw new ChangedLogError(
      `chain ${name} is gone, and ${seq} was handed over: was the database rolled back?`,
    );
  }
}

function shorter(name: string, seq: number, position: ChainPosition): ChangedLogError {
  return new ChangedLogError(
    `chain ${name} ends at ${seq}, and ${position.seq} was handed over: was the database rolled back?`,
  );
}

/** Each entry names the hash of the one before it, also across a restart. */
function requireLinked(
  name: string,
  position: ChainPosition,
  entries: readonly AuditEntryView[],
): void {
  let before = position;
  for (const { seq, hash, prev_hash: prevHash } of entries) {
    if (seq !== before.seq + 1) {
      throw new ChangedLogError(`chain ${name} has ${seq} behind ${before.seq}`);
    }
    if (before.hash !== undefined && prevHash !== before.hash) {
      throw new ChangedLogError(`chain ${name}: entry ${seq} does not follow what was handed over`);
    }
    before = { seq, hash };
  }
}
