/** Server-sent events over fetch: an EventSource sends no Authorization header, and a token has no place in an address. */
import { EventSourceParserStream } from 'eventsource-parser/stream';

export interface StreamRequest {
  readonly target: string;
  readonly token: string;
  readonly signal: AbortSignal;
}

/** The data of each event called `name`, until the stream ends. Rejects where it is refused or breaks off. */
export async function* readEvents(
  { target, token, signal }: StreamRequest,
  name: string,
): AsyncGenerator<string> {
  const response = await fetch(target, {
    headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
    credentials: 'omit',
    redirect: 'error',
    cache: 'no-store',
    referrerPolicy: 'no-referrer',
    signal,
  });
  if (!response.ok || response.body === null) throw new Error('the stream was refused');
  const reader = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    if (value.event === name) yield value.data;
  }
}
