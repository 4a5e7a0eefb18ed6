import { PRESENCE_TTL_MS } from '@countersign/runtime/jobs/names.js';
import { parsePresence, type Replica } from '@countersign/runtime/jobs/replica.js';

/** Who was heard of, and when, by field of the presence hash. */
export type SeenReplicas = Map<string, { readonly replica: Replica; readonly seenAt: number }>;

/**
 * Adds what Redis says now, and drops whoever was last heard of too long ago. It is remembered from one time to
 * the next, so that a Redis that forgets does not make every party look dead.
 *
 * @param entries the presence hash; a field that does not parse is left out
 */
export function noteReplicas(
  seen: SeenReplicas,
  entries: Readonly<Record<string, string>>,
  now: number,
): void {
  for (const [field, value] of Object.entries(entries)) {
    const entry = parsePresence(field, value);
    if (entry === undefined) continue;
    // a time ahead of ours, a clock's fault or a forger's, must not keep anybody alive for ever
    seen.set(field, { replica: entry.replica, seenAt: Math.min(entry.seenAt, now) });
  }
  const oldest = now - PRESENCE_TTL_MS;
  for (const [field, { seenAt }] of seen) if (seenAt <= oldest) seen.delete(field);
}
