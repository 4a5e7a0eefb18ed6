/** What the doctor says of one thing that it looked at. */
export interface Finding {
  /** What was looked at: a variable, a file, a server. */
  readonly about: string;
  readonly verdict: 'ok' | 'warning' | 'fault';
  /** One sentence. */
  readonly says: string;
  /** What to do; nothing where all is well. */
  readonly advice?: string;
}

export const ok = (about: string, says: string): Finding => ({ about, verdict: 'ok', says });

export const warning = (about: string, says: string, advice: string): Finding => ({
  about,
  verdict: 'warning',
  says,
  advice,
});

export const fault = (about: string, says: string, advice: string): Finding => ({
  about,
  verdict: 'fault',
  says,
  advice,
});

/** An error's words: the code of a system error where it says nothing else. */
export function wordsOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map((one: unknown) => wordsOf(one)).join('; ');
  }
  return error instanceof Error && error.message !== '' ? error.message : String(error);
}

/** A check never ends the others: where it cannot be made, that is what it says. */
export async function tryCheck(
  about: string,
  check: () => Finding | readonly Finding[] | Promise<Finding | readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return [await check()].flat();
  } catch (error) {
    return [
      warning(about, `the doctor could not check this: ${wordsOf(error)}`, 'check it by hand'),
    ];
  }
}
