/** A length of time, to about three digits: `120 ms`, `4.2 s`, `3 min`, `5 h`, `2 d`. */
export function durationWords(ms: number): string {
  if (ms < 1_000) return `${Number(ms.toFixed(1))} ms`;
  if (ms < 60_000) return `${Number((ms / 1_000).toFixed(1))} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min`;
  if (ms < 86_400_000) return `${Math.floor(ms / 3_600_000)} h`;
  return `${Math.floor(ms / 86_400_000)} d`;
}
