/**
 * How long keys rest between runs for new shares. After a run the parties' statements are on their way, or the run failed
 * and the next will not fare better. Each rest is longer than the one before: while one party stores or states nothing,
 * every run leaves shares and statements of the others behind.
 */
const FIRST_REST_MS = 10_000;
const LONGEST_REST_MS = 600_000;

interface Rest {
  readonly untilMs: number;
  /** How long the next one takes. */
  readonly nextMs: number;
}

export class KeyRests {
  #refresh = 0;
  readonly #rests = new Map<string, Rest>();

  /** Forgets the rests of an earlier refresh: what stood in its way may be gone. `refresh`: its number. */
  beginIn(refresh: number): void {
    if (refresh === this.#refresh) return;
    this.#refresh = refresh;
    this.#rests.clear();
  }

  /** `now`: ms. A clock that was set back ends a rest that no rest can last. */
  isResting(keyId: string, now: number): boolean {
    const leftMs = (this.#rests.get(keyId)?.untilMs ?? 0) - now;
    return leftMs > 0 && leftMs <= LONGEST_REST_MS;
  }

  /** There was a run. */
  rest(keyId: string, now: number): void {
    const lengthMs = this.#nextOf(keyId);
    const nextMs = Math.min(2 * lengthMs, LONGEST_REST_MS);
    this.#rests.set(keyId, { untilMs: now + lengthMs, nextMs });
  }

  /** There was none, so that the rest after the next one is as long as it would have been. */
  wait(keyId: string, waitMs: number, now: number): void {
    this.#rests.set(keyId, { untilMs: now + waitMs, nextMs: this.#nextOf(keyId) });
  }

  #nextOf(keyId: string): number {
    return this.#rests.get(keyId)?.nextMs ?? FIRST_REST_MS;
  }
}
