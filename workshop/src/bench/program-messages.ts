/** Talking to a program that was forked: one message, or its death. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** The next message. Throws where the program ends first. */
export async function nextMessageOf<Message>(child: ChildProcess, name: string): Promise<Message> {
  const stop = new AbortController();
  const died = once(child, 'exit', { signal: stop.signal }).then(([code]) => {
    throw new Error(`${name} ended (${String(code)})`);
  });
  died.catch(() => undefined);
  try {
    const message = once(child, 'message', { signal: stop.signal });
    const [first] = (await Promise.race([message, died])) as [Message];
    return first;
  } finally {
    stop.abort();
  }
}
