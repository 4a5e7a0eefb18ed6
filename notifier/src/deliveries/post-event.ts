/** Makes one attempt to deliver an event by HTTP. */
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { hostOf } from '@countersign/core/public-destination.js';
import type { Attempt } from './delivery-schedule.js';

const ANSWER_WITHIN_MS = 10_000;

export interface EventPost {
  readonly url: string;
  /** The only address that is connected to, whatever the host of the URL resolves to by now. */
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Never rejects. It reads nothing but the status of the answer. */
export function postEvent({ url: text, address, headers, body }: EventPost): Promise<Attempt> {
  const url = new URL(text);
  const host = hostOf(url);
  const isTls = url.protocol === 'https:';
  const options = {
    method: 'POST',
    host: address,
    port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    headers: { ...headers, host: url.host, 'content-length': Buffer.byteLength(body) },
    // no connection from an earlier look-up is reused
    agent: false as const,
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    // the certificate is for the name, not for the address
    ...(isTls && isIP(host) === 0 && { servername: host }),
  };
  return new Promise((resolve) => {
    const request = (isTls ? requestHttps : requestHttp)(options, (response) => {
      response.on('error', () => undefined);
      response.destroy();
      resolve({ kind: 'answered', status: response.statusCode ?? 0 });
    });
    request.on('error', (error: NodeJS.ErrnoException) =>
      resolve({ kind: 'unanswered', reason: error.code ?? error.name }),
    );
    request.end(body);
  });
}
