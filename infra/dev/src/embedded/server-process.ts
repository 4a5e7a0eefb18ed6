import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Receives one line of text, without its line end. */
export type LogLine = (line: string) => void;

/** One program call: what to run, and as whom. `uid` and `gid` need root. */
export interface Command {
  file: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
  cwd?: string;
}

/** What the operating system says about a process that is alive (a zombie is not). */
export interface ProcessDescription {
  /** The command line, its arguments joined by one space. */
  command: string;
  /** The working folder; undefined where it cannot be read (another user's process, macOS). */
  cwd: string | undefined;
  /** Opaque start time: a process that got the same pid later has another one. */
  startedAt: string;
}

/** A signal to try and how long to wait, in ms, for the process to end before the next one. */
export type StopStep = readonly [signal: NodeJS.Signals, waitMs: number];

interface StartOptions {
  /** Name of the server in log lines and errors. */
  name: string;
  command: Command;
  /** A line of stdout or stderr that contains this text means the server takes connections. */
  readyText: string;
  readyTimeoutMs: number;
  stopSteps: readonly StopStep[];
  log: LogLine;
  /** Called at once with the pid, before the server is ready, so that an orphan can be found. */
  onSpawn?: (pid: number) => void;
}

/** A server that runs as our child. `stop` may be called more than once. */
export interface ServerProcess {
  pid: number;
  stop: () => Promise<void>;
}

const LOG_TAIL_CHARS = 8192;
const POLL_MS = 10;

const execFileText = promisify(execFile);

/**
 * Starts a server and waits until it says that it is ready.
 *
 * The child leads its own process group: Ctrl-C in a terminal reaches only our process, which then
 * stops the servers last, after everything that uses them.
 *
 * Throws an Error with the last 8 kB of the server's output when it ends early or is not ready in
 * time; it has been stopped by then.
 */
export async function startServerProcess(options: StartOptions): Promise<ServerProcess> {
  const { name, command, stopSteps, log } = options;
  const child = spawnServer(command);
  const tail = collectOutput(child, log);
  if (child.pid !== undefined) options.onSpawn?.(child.pid);
  await once(child, 'spawn'); // throws when the program cannot be started
  const pid = child.pid as number;
  const isRunning = async (): Promise<boolean> =>
    child.exitCode === null && child.signalCode === null;
  const end = (): Promise<void> => endProcess({ name, pid, isRunning, steps: stopSteps });
  const failure = await waitUntilReady(child, options);
  if (failure !== undefined) {
    await end();
    throw new Error(`${name} ${failure}; its last output:\n${tail()}`);
  }
  let stopping: Promise<void> | undefined;
  child.once('exit', (code, signal) => {
    if (stopping === undefined) log(`${name} ended by itself (${signal ?? `code ${code}`})`);
  });
  return { pid, stop: () => (stopping ??= end()) };
}

/** Runs `start` again while it fails with an error that `isPassing` calls temporary. */
export async function retryStart<T>(
  start: () => Promise<T>,
  isPassing: (error: unknown) => boolean,
  { attempts = 20, pauseMs = 250 } = {},
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start();
    } catch (error) {
      if (attempt >= attempts || !isPassing(error)) throw error;
      await sleep(pauseMs);
    }
  }
}

/**
 * Ends a process with ever harder signals and resolves when it is gone. It need not be our child.
 * Throws an Error when it outlives all steps.
 */
export async function endProcess(options: {
  name: string;
  pid: number;
  isRunning: () => Promise<boolean>;
  steps: readonly StopStep[];
}): Promise<void> {
  for (const [signal, waitMs] of options.steps) {
    if (!(await options.isRunning())) return;
    sendSignal(options.pid, signal);
    const deadline = Date.now() + waitMs;
    while (Date.now() < deadline) {
      if (!(await options.isRunning())) return;
      await sleep(POLL_MS);
    }
  }
  if (!(await options.isRunning())) return;
  throw new Error(`${options.name} (process ${options.pid}) does not end`);
}

/** Describes a process of any user, or undefined when there is none with this pid. */
export async function describeProcess(pid: number): Promise<ProcessDescription | undefined> {
  return process.platform === 'linux' ? describeFromProc(pid) : describeFromPs(pid);
}

/** A TCP port that is free on 127.0.0.1 now. Somebody may take it before it is used: retry then. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no TCP port');
  return address.port;
}

/**
 * Runs a program to its end and returns its stdout. Throws an Error whose one-line message ends
 * with the last line of stderr; the whole stderr is on its `cause`.
 */
export async function runCommand(command: Command, timeoutMs: number): Promise<string> {
  const { file, args, ...options } = command;
  try {
    const { stdout } = await execFileText(file, args, {
      ...options,
      timeout: timeoutMs,
      maxBuffer: 16 * 1024 * 1024,
    });
    return stdout;
  } catch (cause) {
    throw new Error(`${file} failed: ${lastLine(cause)}`, { cause });
  }
}

/** Whether a program can be started and ends with code 0. */
export async function succeeds(command: Command, timeoutMs = 15_000): Promise<boolean> {
  return runCommand(command, timeoutMs).then(
    () => true,
    () => false,
  );
}

function spawnServer(command: Command): ChildProcess {
  const { file, args, ...options } = command;
  return spawn(file, args, { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Passes every line on and keeps the last 8 kB, returned by the function it returns. */
function collectOutput(child: ChildProcess, log: LogLine): () => string {
  let tail = '';
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on('line', (line) => {
      tail = `${tail}${line}\n`.slice(-LOG_TAIL_CHARS);
      child.emit('output-line', line);
      log(line);
    });
  }
  return () => tail;
}

/** Resolves with undefined when ready, else with what went wrong. */
async function waitUntilReady(
  child: ChildProcess,
  { readyText, readyTimeoutMs }: StartOptions,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(
      () => finish(`was not ready after ${readyTimeoutMs / 1000} s`),
      readyTimeoutMs,
    );
    const onLine = (line: string): void => {
      if (line.includes(readyText)) finish(undefined);
    };
    // 'close' rather than 'exit': by then all output has been read, so the error can show it.
    const onClose = (code: number | null, signal: string | null): void =>
      finish(`ended while starting (${signal ?? `code ${code}`})`);
    const finish = (result: string | undefined): void => {
      clearTimeout(timer);
      child.off('output-line', onLine).off('close', onClose);
      resolve(result);
    };
    child.on('output-line', onLine).on('close', onClose);
  });
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function describeFromProc(pid: number): Promise<ProcessDescription | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const commandBytes = await readFile(`/proc/${pid}/cmdline`, 'utf8');
    // The name in parentheses may itself contain spaces and parentheses, so count from its end:
    // first the state, and 19 fields further the start time in clock ticks.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    const command = commandBytes.replaceAll('\0', ' ').trimEnd();
    if (command === '') return undefined; // it has given up its memory, and is about to be a zombie
    return {
      command,
      cwd: await readlink(`/proc/${pid}/cwd`).catch(() => undefined),
      startedAt: fields[19] ?? '',
    };
  } catch {
    return undefined; // no such process
  }
}

async function describeFromPs(pid: number): Promise<ProcessDescription | undefined> {
  const args = ['-ww', '-o', 'stat=', '-o', 'lstart=', '-o', 'command=', '-p', String(pid)];
  const env = { ...process.env, LC_ALL: 'C' };
  const output = await runCommand({ file: 'ps', args, env }, 10_000).catch(() => '');
  // For example "Ss   Sat Nov 21 03:50:00 2026 postgres -D ..."; the time has five words.
  const match = /^(\S+)\s+((?:\S+\s+){4}\S+)\s+(.*)$/.exec(output.trim());
  const [, state = 'Z', startedAt = '', command = ''] = match ?? [];
  return state.startsWith('Z') ? undefined : { command, cwd: undefined, startedAt };
}

function lastLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  const lines = (stderr?.trim() || message).trim().split('\n');
  return lines.at(-1) ?? message;
}
