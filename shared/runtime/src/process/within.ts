export class TimeOutError extends Error {}

/** As the promise, but rejects with TimeOutError when that takes too long. What was begun goes on, unheard. */
export function within<Result>(timeoutMs: number, promise: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new TimeOutError(`took longer than ${timeoutMs} ms`)),
      timeoutMs,
    );
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
