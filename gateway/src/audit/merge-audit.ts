import { compareNewestFirst, type AuditRow } from './audit-row.js';

export interface MergedAudit {
  readonly rows: AuditRow[];
  readonly hasMore: boolean;
}

/**
 * The first `limit` rows of several sources, newest first. Each source keeps its order, and must supply `limit` + 1
 * rows if it has them.
 */
export function mergeNewestFirst(
  sources: readonly (readonly AuditRow[])[],
  limit: number,
): MergedAudit {
  const next = sources.map(() => 0);
  const rows: AuditRow[] = [];
  for (;;) {
    const newest = newestHead(sources, next);
    if (newest === undefined) return { rows, hasMore: false };
    if (rows.length === limit) return { rows, hasMore: true };
    rows.push(sources[newest]![next[newest]!]!);
    next[newest]! += 1;
  }
}

function newestHead(
  sources: readonly (readonly AuditRow[])[],
  next: readonly number[],
): number | undefined {
  let best: number | undefined;
  let bestRow: AuditRow | undefined;
  for (const [index, source] of sources.entries()) {
    const row = source[next[index]!];
    if (row === undefined) continue;
    if (bestRow !== undefined && compareNewestFirst(row, bestRow) >= 0) continue;
    best = index;
    bestRow = row;
  }
  return best;
}
