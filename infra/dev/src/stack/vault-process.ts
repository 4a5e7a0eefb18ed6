/** One gateway or signer as a child process. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

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

const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 15_000;
const KEPT_OUTPUT = 1_000_000;

/** Resolves once the process says that it is ready; throws with its last output when it dies first. */
export async function startVaultProcess(
  name: string,
  program: string,
  environment: Readonly<Record<string, string>>,
  {
    onOutput = () => undefined,
    execArgv = [],
  }: {
    readonly onOutput?: ((line: string) => void) | undefined;
    readonly execArgv?: readonly string[] | undefined;
  } = {},
): Promise<VaultProcess> {
  const { PATH = '' } = process.env;
  const child = fork(program, [], {
    env: { PATH, NODE_ENV: 'production', ...environment },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: [...execArgv],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-KEPT_OUTPUT);
      onOutput(chunk);
    });
  }
  let hasExited = false;
  const exited = once(child, 'exit').then(([code, signal]) => {
    hasExited = true;
    return (code ?? signal) as number | string;
  });
  const port = await waitReady(child, exited, name, () => text);
  return {
    name,
    pid: child.pid!,
    port,
    exited,
    get hasExited() {
      return hasExited;
    },
    output: () => text,
    kill: (signal) => void child.kill(signal),
    async stop() {
      if (hasExited) return;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}

async function waitReady(
  child: ChildProcess,
  exited: Promise<number | string>,
  name: string,
  output: () => string,
): Promise<number | undefined> {
  const ready = once(child, 'message').then(([message]) => message as { port?: number });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${name} was not ready in time:\n${output().slice(-4_000)}`));
    }, READY_TIMEOUT_MS);
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
