/** Every command that a Redis takes, as its MONITOR tells it. */
import { connect } from 'node:net';
import { eventually } from './test-vault.ts';

export interface RedisMonitor {
  /** One line per command so far. */
  readonly traffic: string;
  stop(): void;
}

/** Over a socket of its own: ioredis fails when the first command comes in one packet with the greeting. */
export async function openRedisMonitor(url: string): Promise<RedisMonitor> {
  const { hostname, port, password } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined); // a Redis that stops ends the connection
  const chunks: string[] = [];
  socket.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
  socket.write(`AUTH ${decodeURIComponent(password)}\r\nMONITOR\r\n`);
  await eventually(() => {
    const text = chunks.join('');
    if (/^-/m.test(text)) throw new Error(`no MONITOR: ${text}`);
    return text.startsWith('+OK\r\n+OK\r\n');
  });
  return {
    get traffic() {
      return chunks.join('').replaceAll('" "', ' ').replaceAll('\\"', '"');
    },
    stop: () => socket.destroy(),
  };
}
