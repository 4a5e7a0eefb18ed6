/** One step of the check: a program that ends with code 0 when all is well. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Step {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

export interface StepResult {
  readonly name: string;
  readonly isGood: boolean;
  readonly seconds: number;
  /** All that it wrote to stdout and stderr, in the order in which it came. */
  readonly output: string;
}

/**
 * Compiler and lint are Go programs. With more than one processor lint checks types in several places at once, each of
 * which learns anew what the others know: two thirds more work. Collecting what they leave behind costs a sixth, and
 * they use 2 GB without it.
 */
const STEP_ENVIRONMENT = { GOMAXPROCS: '1', GOGC: 'off', GOMEMLIMIT: '3GiB' };

/** Never rejects: a program that cannot be started is a step that failed. */
export async function runStep({ name, command, args }: Step): Promise<StepResult> {
  const startedAt = Date.now();
  const env = { ...process.env, ...STEP_ENVIRONMENT };
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  }
  const isGood = await once(child, 'close').then(
    ([code]) => code === 0,
    (error: unknown) => {
      output += `${String(error)}\n`;
      return false;
    },
  );
  return { name, isGood, seconds: (Date.now() - startedAt) / 1000, output };
}

/**
 * Runs all of them, `lanes` at a time, also after one has failed. Results come in the order of the steps,
 * each told to `onResult` as soon as those before it are told.
 */
export async function runSteps(
  steps: readonly Step[],
  lanes: number,
  onResult: (result: StepResult) => void,
): Promise<StepResult[]> {
  const waiting = steps.entries();
  const results: (StepResult | undefined)[] = steps.map(() => undefined);
  let told = 0;
  async function runLane(): Promise<void> {
    for (const [index, step] of waiting) {
      results[index] = await runStep(step);
      for (let next = results[told]; next !== undefined; next = results[told]) {
        onResult(next);
        told += 1;
      }
    }
  }
  await Promise.all(Array.from({ length: lanes }, runLane));
  return results.flatMap((result) => result ?? []);
}
