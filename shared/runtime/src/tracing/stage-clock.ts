/** Notes how long each stage of a request took in one process, one after the other. */

/** In the order in which they come; none says more than its name. */
export type StageName = 'auth' | 'policy' | 'queue' | 'partner' | 'sign' | 'record' | 'answer';

/** `from` and `until`: ms since the epoch, with fractions. */
export interface Stage {
  readonly stage: StageName;
  readonly from: number;
  readonly until: number;
}

export interface StageClock {
  readonly startedAt: number;
  /** Those that have ended. A stage is there twice if a request had to begin it again. */
  readonly stages: readonly Stage[];
  /** The stage that began with the end of the one before ends now. */
  end(stage: StageName): void;
}

/** Processes of other hosts keep requests under way for longer than this may hold. */
const MAX_STAGES = 32;

export function openStages(now: () => number = fineNow): StageClock {
  const startedAt = now();
  const stages: Stage[] = [];
  let from = startedAt;
  return {
    startedAt,
    stages,
    end(stage) {
      if (stages.length === MAX_STAGES) return;
      const until = Math.max(from, now()); // a clock may be set back
      stages.push({ stage, from, until });
      from = until;
    },
  };
}

/** The wall clock, ms with fractions: `Date.now` cuts them off, and the monotonic clock does not follow a clock that is set. */
export function fineNow(): number {
  const now = Date.now();
  return Math.min(Math.max(performance.timeOrigin + performance.now(), now), now + 1);
}
