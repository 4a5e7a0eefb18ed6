/** From what was typed to the exit code. */
import { LocalError } from '@countersign/client/local-error.js';
import { UsageError, type Command, type Given, type Surroundings } from '../tool/command.js';
import { jsonOf } from '../tool/output.js';
import { runProgram } from '../tool/program.js';
import { COMMANDS } from './all-commands.js';

/** 0: done. 1: refused, failed, or something does not hold. 2: wrong usage, or a file that is wrong. */
export async function runCountersign(
  typed: readonly string[],
  io: Surroundings,
): Promise<0 | 1 | 2> {
  let code: 0 | 1 = 0;
  try {
    const perform = async (command: Command, given: Given) => {
      code = await performCommand(command, given, io);
    };
    await runProgram(COMMANDS, typed, { printer: io, perform });
    return code;
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error(String(error));
    if (message !== '') io.writeNote(`countersign: ${message}\n`);
    return error instanceof UsageError || error instanceof LocalError ? 2 : 1;
  }
}

async function performCommand(command: Command, given: Given, io: Surroundings): Promise<0 | 1> {
  const { value, text, code = 0 } = (await command.run(given, io)) ?? {};
  const isJson = value !== undefined && (given.is('json') || text === undefined);
  io.writeOutput(isJson ? jsonOf(value) : (text ?? ''));
  return code;
}
