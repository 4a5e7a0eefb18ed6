/** `node:buffer` for a browser: what the shared code asks of it. */
import { Buffer } from 'buffer/index.js';

export { Buffer };

const URL_SAFE = 'base64url';

/** Node knows one encoding more than the package. Its decoder reads both alphabets already. */
type From = (value: unknown, encoding?: string, length?: number) => Buffer;
type ToString = (this: Buffer, encoding?: string, start?: number, end?: number) => string;

function addBase64Url(): void {
  const page = Buffer as unknown as { from: From; readonly prototype: { toString: ToString } };
  const { from } = page;
  const { toString } = page.prototype;
  page.from = (value, encoding, length) =>
    from(value, encoding === URL_SAFE ? 'base64' : encoding, length);
  page.prototype.toString = function (encoding, start, end) {
    if (encoding !== URL_SAFE) return toString.call(this, encoding, start, end);
    const text = toString.call(this, 'base64', start, end);
    return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  };
}

addBase64Url();

/** Strict: whether these bytes are UTF-8. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
