/** Many needles in one pass over a haystack: hundreds of secrets in hundreds of megabytes of memory. */

/** Long enough that no needle of the tests is shorter, and that text by chance seldom begins like one. */
const HEAD_BYTES = 4;

export type Needle = readonly [name: string, bytes: Buffer];

// a global is looked up anew each time in a test, through layers: not in a loop over every byte
const { imul } = Math;

/** Spreads the first four bytes of a needle over a table that stays in a processor's cache. */
function slotOf(head: number): number {
  return imul(head, 0x9e3779b1) >>> 16;
}

/** Finds, in any bytes it is given, the names of those that occur there. Throws for a needle of less than four bytes. */
export function openFinder(needles: readonly Needle[]): (haystack: Uint8Array) => Set<string> {
  const byHead = new Map<number, Needle[]>();
  const begins = new Uint8Array(2 ** 16);
  for (const needle of needles) {
    const [name, bytes] = needle;
    if (bytes.length < HEAD_BYTES) throw new RangeError(`${name} is too short to be looked for`);
    const head = bytes.readInt32LE(0);
    begins[slotOf(head)] = 1;
    byHead.set(head, [...(byHead.get(head) ?? []), needle]);
  }
  return (haystack) => {
    const found = new Set<string>();
    let head = 0; // the four bytes that end here
    for (let end = 0; end < haystack.length; end += 1) {
      head = (head >>> 8) | (haystack[end]! << 24);
      if (begins[slotOf(head)] === 0) continue;
      const start = end + 1 - HEAD_BYTES;
      for (const [name, bytes] of byHead.get(head) ?? []) {
        if (isAt(haystack, start, bytes)) found.add(name);
      }
    }
    return found;
  };
}

function isAt(haystack: Uint8Array, start: number, bytes: Buffer): boolean {
  return start >= 0 && bytes.equals(haystack.subarray(start, start + bytes.length));
}
