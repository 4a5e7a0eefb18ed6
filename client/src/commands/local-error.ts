/** Something on the caller's machine stands in the way; `message` is for them and names no secret. */
export class LocalError extends Error {
  override readonly name = 'LocalError';
}
