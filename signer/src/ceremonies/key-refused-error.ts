/** This key can never be completed; `message` is public text. */
export class KeyRefusedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'KeyRefusedError';
  }
}
