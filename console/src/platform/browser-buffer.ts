/** `node:buffer` for a browser: what the shared code asks of it. */
export { Buffer } from 'buffer/index.js';

/** Strict: whether these bytes are UTF-8. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
