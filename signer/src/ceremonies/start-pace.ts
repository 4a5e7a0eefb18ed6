const WINDOW_MS = 1_000;
/** An honest caller lets a failed run of a key rest for half a second, and longer each time. */
const MAX_OF_KEY = 4;
const MAX_JOINING = 64;

/**
 * Limits how often this replica joins runs that another party calls. Each run costs maths, so it joins few of a key in
 * a while, and no more at a time than honest callers call.
 */
export class StartPace {
  /** Runs joined lately, by key; the oldest first, and none that is too old to matter. */
  readonly #joined = new Map<string, { readonly since: number; count: number }>();
  #joining = 0;

  /** Whether to join a run of the key now; then it counts as being joined until {@link end}. `now`: ms. */
  begin(keyId: string, now: number): boolean {
    for (const [known, { since }] of this.#joined) {
      if (Math.abs(now - since) < WINDOW_MS) break;
      this.#joined.delete(known);
    }
    const joined = this.#joined.get(keyId) ?? { since: now, count: 0 };
    if (joined.count >= MAX_OF_KEY || this.#joining >= MAX_JOINING) return false;
    joined.count += 1;
    this.#joined.set(keyId, joined);
    this.#joining += 1;
    return true;
  }

  /** The run is over, however it ended. */
  end(): void {
    this.#joining -= 1;
  }
}
