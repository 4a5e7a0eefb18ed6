/** A denial goes on record once: what is denied by one party alone is asked for again and again as long as it lives. */

export interface RecordedDenials {
  /** True the first time. */
  isNew(requestId: string): boolean;
}

/** More than can be asked for again at one time; a record twice does no harm. */
const MAX_REMEMBERED = 10_000;

export function createRecordedDenials(): RecordedDenials {
  const seen = new Set<string>();
  return {
    isNew(requestId) {
      if (seen.has(requestId)) return false;
      if (seen.size >= MAX_REMEMBERED) seen.delete(seen.values().next().value!);
      seen.add(requestId);
      return true;
    },
  };
}
