/**
 * The one line of text in a file, without the line end that editors add. Undefined when it is not UTF-8,
 * has control characters or more lines, or begins or ends with white space: all are signs of a copying
 * mistake, and a secret that is off by a space signs nothing that a venue accepts.
 */
export function readLine(bytes: Uint8Array): string | undefined {
  const text = decodeUtf8(bytes)?.replace(/\r?\n$/, '');
  if (text === undefined || /[\p{Cc}\p{Zl}\p{Zp}\uFEFF]/u.test(text)) return undefined;
  return text.trim() === text ? text : undefined;
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
