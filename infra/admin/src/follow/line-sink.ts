/** Where lines of the audit log go. */
import { open } from 'node:fs/promises';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { once } from 'node:events';

export interface LineSink {
  /** Resolves when the lines are out of this process's hands. Rejects when they cannot be had there. */
  write(lines: string): Promise<void>;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 10_000;

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
  const file = await open(path, 'a', 0o600);
  if ((await file.stat()).size === 0) await file.appendFile(header);
  return {
    async write(lines) {
      await file.appendFile(lines);
      await file.datasync();
    },
    close: () => file.close(),
  };
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
