/** One call of a provider that speaks JSON over HTTP: bounded in time, size and tries. */
import { setTimeout } from 'node:timers/promises';
import type { z } from 'zod';
import { KekError } from './kek-provider.js';

const ANSWER_WITHIN_MS = 5_000;
/** With its credentials, which the clouds' libraries may ask for at a third place. */
const CLOUD_WITHIN_MS = 10_000;
const MAX_ANSWER_BYTES = 65_536;
const WAIT_BEFORE_MS = [250, 1_000];

export interface JsonCall<Answer> {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
  readonly answer: z.ZodType<Answer>;
  /**
   * What a status means. What the provider says beside its status is not repeated: a stranger's text does not belong
   * in a log.
   */
  readonly meanings: Readonly<Record<number, string>>;
}

/** Another try may be answered. */
class PassingError extends KekError {}

/** Rejects with `KekError`. Tries again, twice, what may pass by itself. */
export async function postJson<Answer>(
  call: JsonCall<Answer>,
  [waitMs, ...later]: readonly number[] = WAIT_BEFORE_MS,
): Promise<Answer> {
  try {
    return await postOnce(call);
  } catch (error) {
    if (!(error instanceof PassingError) || waitMs === undefined) throw error;
    await setTimeout(waitMs);
    return postJson(call, later);
  }
}

async function postOnce<Answer>(call: JsonCall<Answer>): Promise<Answer> {
  const { url, headers, body, answer, meanings } = call;
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'error',
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }).catch((error: unknown) => {
    const reason = reasonOf(error);
    throw new (reason === 'TimeoutError' ? KekError : PassingError)(`no answer (${reason})`);
  });
  const { status } = response;
  if (status !== 200) {
    await response.body?.cancel();
    const meaning = meanings[status];
    const says = `status ${status}${meaning === undefined ? '' : `: ${meaning}`}`;
    throw status === 429 || status >= 500 ? new PassingError(says) : new KekError(says);
  }
  const read = answer.safeParse(parse(await readBounded(response)));
  if (!read.success) throw new KekError('its answer has another form');
  return read.data;
}

/** Ends what a library of a cloud does, whatever it waits for. */
export async function inTime<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ended = new AbortController();
  const isLate = setTimeout(CLOUD_WITHIN_MS, undefined, { signal: ended.signal }).then(() => {
    throw new KekError('no answer (TimeoutError)');
  });
  try {
    return await Promise.race([work(ended.signal), isLate]);
  } finally {
    isLate.catch(() => undefined);
    ended.abort();
  }
}

/** Never an error's own text, which may quote what was sent. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { cause, name } = error;
  const codes = [error, cause].map((one) => (one as NodeJS.ErrnoException | undefined)?.code);
  const said = codes.find((code) => typeof code === 'string') ?? name;
  return /^\w{1,64}$/.test(said) ? said : 'unknown';
}

async function readBounded({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bounded((body ?? []) as AsyncIterable<Uint8Array>)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** An answer, up to more bytes than any has. */
export async function* bounded(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > MAX_ANSWER_BYTES) break;
      yield chunk;
    }
  } catch (error) {
    throw new KekError(`its answer broke off (${reasonOf(error)})`);
  }
  if (size > MAX_ANSWER_BYTES) throw new KekError('its answer is too long');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
