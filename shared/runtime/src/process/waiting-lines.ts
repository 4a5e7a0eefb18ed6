/** Each call in a line runs once those before it have ended, however they ended. */
export interface WaitingLines {
  /** Returns what `run` does. Lines of different names do not wait for each other. */
  inLine<Result>(name: string, run: () => Promise<Result>): Promise<Result>;
}

export function createWaitingLines(): WaitingLines {
  const lasts = new Map<string, Promise<unknown>>();
  return {
    inLine(name, run) {
      const result = (lasts.get(name) ?? Promise.resolve()).then(run);
      const settled = result.catch(() => undefined);
      lasts.set(name, settled);
      void settled.then(() => {
        if (lasts.get(name) === settled) lasts.delete(name);
      });
      return result;
    },
  };
}
