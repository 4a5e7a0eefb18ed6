/** As a `datetime-local` field gives it; `offsetMinutes` as `Date.getTimezoneOffset` gives it. */
export function localMinute(at: number, offsetMinutes: number): string {
  const local = new Date(at - offsetMinutes * 60_000);
  return local.toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length);
}
