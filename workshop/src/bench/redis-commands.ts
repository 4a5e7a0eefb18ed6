/** How many commands a Redis ran, those inside scripts too, from its `INFO commandstats`. */

/** Calls by the command's name, as Redis writes it: `hmget`, `client|setname`. */
export type CommandCounts = Readonly<Record<string, number>>;

/** What the reading itself asks for. */
const OWN = new Set(['info']);

/**
 * Of a line such as `cmdstat_hmget:calls=12,usec=34,usec_per_call=2.83,rejected_calls=0,failed_calls=0`
 * (https://redis.io/docs/latest/commands/info/). Lines of other sections are passed over.
 */
export function parseCommandStats(info: string): CommandCounts {
  const counts: Record<string, number> = {};
  for (const [, name, calls] of info.matchAll(/^cmdstat_([^:\r\n]+):calls=(\d+)/gm)) {
    if (!OWN.has(name!)) counts[name!] = Number(calls);
  }
  return counts;
}

/** What ran between two readings. A server whose statistics were reset meanwhile counts from nothing. */
export function commandsBetween(before: CommandCounts, after: CommandCounts): CommandCounts {
  const ran = Object.entries(after).flatMap(([name, calls]) => {
    const earlier = before[name] ?? 0;
    const more = calls >= earlier ? calls - earlier : calls;
    return more === 0 ? [] : [[name, more] as const];
  });
  return Object.fromEntries(ran);
}

/** Of each name, all of them together. */
export function sumOfCounts(
  all: readonly Readonly<Record<string, number>>[],
): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const counts of all) {
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}
