/** What goes wrong at the other end: the vault refuses, cannot be reached, or answers with what does not hold. */
export class VaultAnswerError extends Error {
  /** Of the vault's error body (SPEC section 7); `unreachable`, `bad_answer` or `untrusted` are our own. */
  readonly errType: string;
  readonly errMsg: string;

  constructor(errType: string, errMsg: string) {
    const [type, message] = [printable(errType), printable(errMsg)];
    super(`${type}: ${message}`);
    this.name = 'VaultAnswerError';
    this.errType = type;
    this.errMsg = message;
  }
}

const MAX_TEXT_LENGTH = 1000;

/** What a service says may not move the cursor of a terminal or forge a line of a log. */
function printable(text: string): string {
  return text.slice(0, MAX_TEXT_LENGTH).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
}

/** The vault said something that does not check out against what the caller pinned. */
export function untrusted(errMsg: string): VaultAnswerError {
  return new VaultAnswerError('untrusted', errMsg);
}

/** The answer has not the form that the API promises. */
export function badAnswer(errMsg: string): VaultAnswerError {
  return new VaultAnswerError('bad_answer', errMsg);
}
