/** Thrown inside the library while it checks an answer; `importSecret` gives it back as a value. */
import { printable, type ClientErrType } from './call-result.js';

export class VaultAnswerError extends Error {
  readonly errType: ClientErrType;
  readonly errMsg: string;

  constructor(errType: ClientErrType, errMsg: string) {
    const message = printable(errMsg);
    super(`${errType}: ${message}`);
    this.name = 'VaultAnswerError';
    this.errType = errType;
    this.errMsg = message;
  }
}

/** The vault said something that does not check out against what the caller pinned. */
export function untrusted(errMsg: string): VaultAnswerError {
  return new VaultAnswerError('untrusted', errMsg);
}

/** The answer has not the form that the API promises. */
export function badAnswer(errMsg: string): VaultAnswerError {
  return new VaultAnswerError('bad_answer', errMsg);
}
