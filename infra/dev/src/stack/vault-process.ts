/** One gateway or signer as a child process. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { WHEN_TOLD } from '@countersign/runtime/process/run-program.js';

export interface VaultProcess {
  readonly name: string;
  readonly pid: number;
  /** The gateway's TCP port. */
  readonly port: number | undefined;
  readonly hasExited: boolean;
  /** Exit code, or the signal's name. */
  readonly exited: Promise<number | string>;
  /** All it wrote so far. */
  output(): string;
  kill(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
}

/** What ends processes from outside. */
export interface EndSignals {
  /** A process that is still starting is told to stop, and no other is started. */
  readonly stop: AbortSignal;
  /** Whatever runs is killed. */
  readonly kill: AbortSignal;
}

const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 15_000;
const KEPT_OUTPUT = 1_000_000;

interface ForkOptions {
  readonly onOutput?: ((line: string) => void) | undefined;
  readonly execArgv?: readonly string[] | undefined;
}

interface ProcessOptions extends ForkOptions {
  /** A process that has begun to load this program; one that is forked now by default. */
  readonly loaded?: ForkedProgram | undefined;
  readonly endSignals?: EndSignals | undefined;
  readonly readyTimeoutMs?: number | undefined;
}

/** A process that runs a program, or loads it. */
export interface ForkedProgram {
  readonly child: ChildProcess;
  readonly hasExited: boolean;
  /** Exit code, or the signal's name. */
  readonly exited: Promise<number | string>;
  output(): string;
}

/** The program does nothing but load itself until `startVaultProcess` gives it its environment. */
export function loadProgram(
  program: string,
  onOutput: (line: string) => void = () => undefined,
): ForkedProgram {
  return forkProgram(program, {}, { onOutput }, [WHEN_TOLD]);
}

/**
 * Resolves once the process says that it is ready; throws with its last output when it dies first. It ends by
 * itself when this process is gone.
 */
export async function startVaultProcess(
  name: string,
  program: string,
  environment: Readonly<Record<string, string>>,
  { loaded, endSignals, readyTimeoutMs = READY_TIMEOUT_MS, ...forkOptions }: ProcessOptions = {},
): Promise<VaultProcess> {
  endSignals?.stop.throwIfAborted();
  const forked = loaded ?? forkProgram(program, environment, forkOptions);
  const { child, exited, output } = forked;
  // of one that has ended meanwhile its end is told below
  loaded?.child.send(environment, () => undefined);
  const stopOnSignal = () => child.kill('SIGTERM');
  const killOnSignal = () => child.kill('SIGKILL');
  endSignals?.stop.addEventListener('abort', stopOnSignal);
  endSignals?.kill.addEventListener('abort', killOnSignal);
  void exited.then(() => endSignals?.kill.removeEventListener('abort', killOnSignal));
  const port = await waitReady(forked, name, readyTimeoutMs).finally(() =>
    endSignals?.stop.removeEventListener('abort', stopOnSignal),
  );
  return {
    name,
    pid: child.pid!,
    port,
    exited,
    get hasExited() {
      return forked.hasExited;
    },
    output,
    kill: (signal) => void child.kill(signal),
    async stop() {
      if (forked.hasExited) return;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}

function forkProgram(
  program: string,
  environment: Readonly<Record<string, string>>,
  { onOutput = () => undefined, execArgv = [] }: ForkOptions,
  args: readonly string[] = [],
): ForkedProgram {
  const { PATH = '' } = process.env;
  const child = fork(program, [...args], {
    env: { PATH, NODE_ENV: 'production', ...environment },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: [...execArgv],
    // a group of its own: Ctrl-C in a terminal reaches this process alone, which then stops the others in order
    detached: true,
  });
  const output = keepOutput(child, onOutput);
  let hasExited = false;
  const exited = once(child, 'exit').then(([code, signal]) => {
    hasExited = true;
    return (code ?? signal) as number | string;
  });
  return {
    child,
    get hasExited() {
      return hasExited;
    },
    exited,
    output,
  };
}

/** What the process has said so far, the end of it. */
function keepOutput(child: ChildProcess, onOutput: (chunk: string) => void): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-KEPT_OUTPUT);
      onOutput(chunk);
    });
  }
  return () => text;
}

async function waitReady(
  { child, exited, output }: ForkedProgram,
  name: string,
  timeoutMs: number,
): Promise<number | undefined> {
  const ready = once(child, 'message').then(([message]) => message as { port?: number });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${name} was not ready in time:\n${output().slice(-4_000)}`));
    }, timeoutMs);
  });
  const died = exited.then((code) => {
    throw new Error(`${name} ended (${code}) before it was ready:\n${output().slice(-4_000)}`);
  });
  try {
    return (await Promise.race([ready, died, late])).port;
  } finally {
    clearTimeout(timer);
    died.catch(() => undefined);
  }
}
