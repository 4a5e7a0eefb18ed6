export interface LatestRun {
  /** Resolves with a run that began after the call; those who call during a run share the next one. */
  run(): Promise<void>;
  /** Resolves once no run is under way, however it ended. */
  settle(): Promise<void>;
}

/** Never runs `start` twice at a time: a run under way may have begun before the caller's moment. */
export function createLatestRun(start: () => Promise<void>): LatestRun {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  function run(): Promise<void> {
    if (running === undefined) {
      running = start().finally(() => (running = undefined));
      return running;
    }
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return run();
      });
    return next;
  }

  return {
    run,
    async settle() {
      await running?.catch(() => undefined);
    },
  };
}
