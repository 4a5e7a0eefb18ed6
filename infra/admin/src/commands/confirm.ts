/** What somebody has to say yes to. */
import { UsageError, type Given, type Option, type Surroundings } from '../tool/command.js';

export const YES_OPTION: Option = {
  name: 'yes',
  short: 'y',
  about: 'Ask nobody: for scripts.',
};

/** Throws UsageError where nobody is there to ask. */
export async function isConfirmed(
  question: string,
  given: Given,
  io: Surroundings,
): Promise<boolean> {
  if (given.is('yes')) return true;
  const answer = await io.confirm(question);
  if (answer === undefined) throw new UsageError('nobody is there to say yes: give --yes');
  return answer;
}
