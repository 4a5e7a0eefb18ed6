/**
 * Load that does not wait for answers: requests are due at fixed times, whatever comes back. A latency counts from the
 * time that its request was due, also where no connection was free to send it then, and a request that is never
 * answered counts with as long as it was waited for. So a server that stalls is seen to stall by all who would
 * have asked meanwhile (without that, a load generator that waits with it hides it: "coordinated omission").
 */

export interface Answer {
  /** 0: the connection broke; `unanswered`: nothing came before the end. */
  readonly status: number | 'unanswered';
  readonly ms: number;
}

export interface Schedule {
  readonly total: number;
  /** Milliseconds after the start. */
  dueAt(index: number): number;
}

/** Evenly spaced. */
export function evenSchedule(ratePerSecond: number, seconds: number): Schedule {
  return {
    total: Math.floor(seconds * ratePerSecond),
    dueAt: (index) => (index * 1_000) / ratePerSecond,
  };
}

export interface Clock {
  now(): number;
  /** Calls again and again, about every millisecond, until what it returns is called. */
  onTick(callback: () => void): () => void;
}

export interface Sender {
  /** Resolves to the answer's status, 0 when the connection broke. One request at a time. */
  ask(index: number): Promise<number>;
}

/** Ends once all is answered, or `drainMs` after the last was due. */
export async function runOpenLoop(
  schedule: Schedule,
  senders: readonly Sender[],
  clock: Clock,
  drainMs: number,
): Promise<Answer[]> {
  const startedAt = clock.now();
  const answers: Answer[] = [];
  const idle = [...senders];
  const open = new Set<number>();
  let due = 0;
  let sent = 0;

  function sendDue(): void {
    while (sent < due && idle.length > 0) send(sent++, idle.pop()!);
  }

  function send(index: number, sender: Sender): void {
    open.add(index);
    void sender.ask(index).then((status) => {
      open.delete(index);
      answers.push({ status, ms: clock.now() - startedAt - schedule.dueAt(index) });
      if (status !== 0) idle.push(sender);
      sendDue();
    });
  }

  const endMs = schedule.dueAt(schedule.total) + drainMs;
  await new Promise<void>((resolve) => {
    const stop = clock.onTick(() => {
      const elapsedMs = clock.now() - startedAt;
      while (due < schedule.total && schedule.dueAt(due) <= elapsedMs) due += 1;
      sendDue();
      if (answers.length < schedule.total && elapsedMs < endMs) return;
      stop();
      resolve();
    });
  });
  const endedMs = clock.now() - startedAt;
  const neverSent = Array.from({ length: schedule.total - sent }, (_, index) => sent + index);
  const unanswered = [...open, ...neverSent].map((index): Answer => ({
    status: 'unanswered',
    ms: endedMs - schedule.dueAt(index),
  }));
  return [...answers, ...unanswered];
}
