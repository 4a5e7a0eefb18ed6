/** A real HAProxy with one section for each service that it stands before. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { findFreePort } from '../../../infra/dev/dist/embedded/server-process.js';
import { eventually } from '../../../test/support/test-vault.ts';

export interface HaproxyService {
  readonly name: string;
  readonly mode: 'tcp' | 'http';
  /** Lines of the section, after its `bind` and `mode`. */
  readonly lines: readonly string[];
}

export interface Haproxy {
  /** The configuration, as a page may show it. */
  readonly text: string;
  portOf(service: string): number;
  stop(): Promise<void>;
}

const DEFAULTS = `global
  maxconn 2000
defaults
  timeout connect 5s
  timeout check 10s
  timeout client 1h
  timeout server 1h
  timeout tunnel 1h
`;

export async function startHaproxy(
  home: string,
  services: readonly HaproxyService[],
): Promise<Haproxy> {
  const ports = new Map<string, number>();
  for (const { name } of services) ports.set(name, await findFreePort());
  const sections = services.map(({ name, mode, lines }) =>
    [`listen ${name}`, `bind 127.0.0.1:${ports.get(name)}`, `mode ${mode}`, ...lines].join('\n  '),
  );
  const text = `${DEFAULTS}${sections.join('\n')}\n`;
  const file = join(home, 'haproxy.cfg');
  writeFileSync(file, text);
  execFileSync('haproxy', ['-c', '-q', '-f', file]);
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
  for (const port of ports.values()) await eventually(() => isOpen(port));
  return { text, portOf: (service) => ports.get(service)!, stop: () => end(child) };
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

export async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
