/**
 * Another system's endpoint, to be measured like the vault. A command starts it and says with its first line on stdout where it
 * is: a URL, which is asked for by GET, or a JSON object:
 *
 *   {"url": "http://127.0.0.1:3000/sign", "method": "POST", "headers": {"authorization": "..."},
 *    "body": "{\"data\": \"{{message}}\"}", "pids": [4711]}
 *
 * `{{message}}` in the body becomes 32 fresh random bytes, base64, in each request. Answers must be HTTP/1.1 over TCP on this
 * host, without TLS, with `content-length`, and 200. The processor time counted is that of the command with all that it
 * started, and of `pids` (its database, say) with all that they started. The command is ended by SIGTERM.
 */
import { z } from 'zod';

const endpointSchema = z.strictObject({
  url: z.url({ protocol: /^http$/ }),
  method: z.string().optional(),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.string().default(''),
  pids: z.array(z.int().positive()).default([]),
});

export interface PeerEndpoint {
  readonly host: string;
  readonly port: number;
  readonly request: PeerRequest;
  readonly pids: readonly number[];
}

export interface PeerRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** With `{{message}}` where fresh bytes go. */
  readonly body: string;
}

/** Throws where the line is neither. */
export function parsePeerLine(line: string): PeerEndpoint {
  const text = line.trim();
  const given: unknown = text.startsWith('{') ? JSON.parse(text) : { url: text, method: 'GET' };
  const { url, method = 'POST', headers, body, pids } = endpointSchema.parse(given);
  const { hostname, host, port, pathname, search } = new URL(url);
  const type: Record<string, string> =
    method === 'GET' ? {} : { 'content-type': 'application/json' };
  const request = {
    method,
    target: `${pathname}${search}`,
    headers: { host, ...type, ...headers },
    body,
  };
  return { host: hostname, port: port === '' ? 80 : Number(port), request, pids };
}

export function fillMessage(body: string, message: Uint8Array): string {
  return body.replaceAll('{{message}}', Buffer.from(message).toString('base64'));
}
