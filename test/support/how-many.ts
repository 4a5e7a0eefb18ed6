/**
 * Of so many random cases: all of them in `npm run check`, a quarter in `npm run check -- --fast` (an eighth of the dearest). For the few
 * files whose cases take seconds; whatever is found in one is found by its seed again.
 */
export function howMany(cases: number, share: 4 | 8 = 4): number {
  return process.env['COUNTERSIGN_FAST'] === '1' ? Math.ceil(cases / share) : cases;
}

/** Whether the case of this number is among them, where cases are numbered and none is made at random. */
export function isChosen(index: number): boolean {
  return howMany(4) === 4 || index % 4 === 0;
}
