/**
 * Holds what a thread knows of runs with other parties that are under way. Their secret state lives here and nowhere
 * else, so every round of a session must reach the same thread. A restart ends its sessions, and the parties begin anew.
 */

/** A round of a session that is unknown, finished, failed or out of time, or one session too many. */
export class SecretSessionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SecretSessionError';
  }
}

export interface SecretSessionsOptions<State> {
  /** Names one session in errors, for example `key generation`. */
  readonly what: string;
  /** Bounds how many are open at once: each holds secrets, and whoever can start a run can leave it. */
  readonly limit: number;
  /** Bounds how long. */
  readonly lifetimeMs: number;
  /** Wipes what the session holds. */
  discard(state: State): void;
}

interface Session<State> {
  readonly state: State;
  readonly expiry: NodeJS.Timeout;
}

export class SecretSessions<State> {
  readonly #options: SecretSessionsOptions<State>;
  readonly #sessions = new Map<string, Session<State>>();

  constructor(options: SecretSessionsOptions<State>) {
    this.#options = options;
  }

  /** Throws unless there is room for a new session of this id. */
  requireRoom(sessionId: string): void {
    const { what, limit } = this.#options;
    if (this.#sessions.has(sessionId)) {
      throw new SecretSessionError(`${what} ${sessionId} is already under way`);
    }
    if (this.#sessions.size >= limit) {
      throw new SecretSessionError(`${limit} ${what}s are under way already`);
    }
  }

  open(sessionId: string, state: State): void {
    this.requireRoom(sessionId);
    const expiry = setTimeout(() => this.end(sessionId), this.#options.lifetimeMs);
    expiry.unref();
    this.#sessions.set(sessionId, { state, expiry });
  }

  /**
   * Runs one round. A session ends with its first failed round: participants who went on after a refusal would be
   * probing one set of secrets.
   */
  step<T>(sessionId: string, round: (state: State) => T): T {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) {
      throw new SecretSessionError(
        `${this.#options.what} ${sessionId} is not under way in this thread`,
      );
    }
    try {
      return round(session.state);
    } catch (error) {
      this.end(sessionId);
      throw error;
    }
  }

  end(sessionId: string): void {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) return;
    clearTimeout(session.expiry);
    this.#sessions.delete(sessionId);
    this.#options.discard(session.state);
  }
}
