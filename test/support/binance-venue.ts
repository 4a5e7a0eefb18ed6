/**
 * Binance as its documents describe it, and as lenient as they leave room for: it signs query ‖ body, prefers
 * the query where both name a parameter, wants a timestamp, and overlooks what it does not know.
 */
import { createHmac } from 'node:crypto';

export interface SentRequest {
  readonly query: string;
  readonly body: string;
}

const SIGNATURE = /&?signature=([^&]*)$/;

/** The text that the signature covers, and the signature as it is sent. */
function partsOf({ query, body }: SentRequest): { text: string; signature: string } {
  const signature = SIGNATURE.exec(body)?.[1] ?? SIGNATURE.exec(query)?.[1] ?? '';
  return { text: query.replace(SIGNATURE, '') + body.replace(SIGNATURE, ''), signature };
}

/** The parameters that the venue acts on; undefined: refused. HMAC keys. */
export function readAsBinance(
  request: SentRequest,
  secret: Uint8Array,
): ReadonlyMap<string, string> | undefined {
  const { text, signature } = partsOf(request);
  if (createHmac('sha256', secret).update(text).digest('hex') !== signature) return undefined;
  const read = new Map([...parametersOf(request.body), ...parametersOf(request.query)]);
  read.delete('signature');
  return /^\d{13}$/.test(read.get('timestamp') ?? '') ? read : undefined;
}

function parametersOf(raw: string): [string, string][] {
  return raw.split('&').map((part) => {
    const [name = '', ...value] = part.split('=');
    return [name, value.join('=')];
  });
}

/** Every way in which the holder of a signed request can part its text between query and body. */
export function* partings(request: SentRequest): Generator<SentRequest> {
  const { text, signature } = partsOf(request);
  for (let at = 0; at <= text.length; at++) {
    const behind = text.slice(at);
    const glue = behind === '' ? '' : '&';
    yield { query: text.slice(0, at), body: `${behind}${glue}signature=${signature}` };
  }
}
