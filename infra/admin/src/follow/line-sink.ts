/** Where lines of the audit log go. */
import { open, type FileHandle } from 'node:fs/promises';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { once } from 'node:events';

export interface LineSink {
  /** Resolves when the lines are out of this process's hands. Rejects when they cannot be had there. */
  write(lines: string): Promise<void>;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 10_000;
const LINE_FEED = 10;
const TAIL_BYTES = 64 * 1024;

/**
 * `-`: standard output. `tcp://HOST:PORT` and `tls://HOST:PORT`: a syslog server, each message ended by a line feed
 * (RFC 6587, 3.4.2; RFC 5425 for TLS counts octets, which most servers do not ask for). Anything else: a file to append to.
 */
export async function openLineSink(target: string, header: string): Promise<LineSink> {
  if (target === '-') return streamSink(process.stdout, header);
  if (/^(?:tcp|tls):\/\//.test(target)) return socketSink(new URL(target), header);
  return fileSink(target, header);
}

async function fileSink(path: string, header: string): Promise<LineSink> {
  const file = await open(path, 'a+', 0o600);
  try {
    await cutHalfLine(file);
    if ((await file.stat()).size === 0) await file.appendFile(header);
  } catch (error) {
    await file.close();
    throw error;
  }
  return {
    async write(lines) {
      await file.appendFile(lines);
      await file.datasync();
    },
    close: () => file.close(),
  };
}

/**
 * A crash or a full disk leaves half a line behind. Its entry was not written down as handed over, so it comes again.
 * Left where it is, the half would make the line behind it unreadable, and in CSV its open quote more than that one.
 */
async function cutHalfLine(file: FileHandle): Promise<void> {
  const { size } = await file.stat(); // 0 for a pipe, of which nothing can be read again
  const end = await endOfLastLine(file, size);
  if (end < size) await file.truncate(end);
}

async function endOfLastLine(file: FileHandle, size: number): Promise<number> {
  const tail = Buffer.alloc(TAIL_BYTES);
  let end = size;
  while (end > 0) {
    const from = Math.max(0, end - TAIL_BYTES);
    const { bytesRead } = await file.read(tail, 0, end - from, from);
    const at = tail.subarray(0, bytesRead).lastIndexOf(LINE_FEED);
    if (at !== -1) return from + at + 1;
    end = from;
  }
  return 0;
}

async function socketSink(url: URL, header: string): Promise<LineSink> {
  const address = { host: url.hostname, port: Number(url.port) };
  const isTls = url.protocol === 'tls:';
  const socket = isTls ? connectTls({ ...address, servername: url.hostname }) : connectTcp(address);
  const signal = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
  await once(socket, isTls ? 'secureConnect' : 'connect', { signal }).catch((error: unknown) => {
    socket.destroy();
    throw error;
  });
  socket.resume(); // a server that speaks is not listened to
  const sink = await streamSink(socket, header);
  return { write: (lines) => sink.write(lines), close: () => endSocket(socket) };
}

async function endSocket(socket: Socket): Promise<void> {
  if (socket.destroyed) return;
  socket.end();
  await once(socket, 'close', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) }).catch(() =>
    socket.destroy(),
  );
}

/** A stream that has ended with an error takes nothing more, and says so at the next write. */
async function streamSink(stream: NodeJS.WritableStream, header: string): Promise<LineSink> {
  let fault: Error | undefined;
  stream.on('error', (error) => (fault = error));
  stream.on('close', () => (fault ??= new Error('the connection was closed')));
  const write = (lines: string) =>
    new Promise<void>((resolve, reject) => {
      if (fault !== undefined) return reject(fault);
      stream.write(lines, (error) => (error ? reject(error) : resolve()));
    });
  if (header !== '') await write(header);
  return { write, close: async () => undefined };
}
