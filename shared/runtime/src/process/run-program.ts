import { ConfigError } from './config.js';

/**
 * Runs a program of the vault. Where it cannot start, it says why on stderr and ends: with 2 where its configuration
 * is wrong, with 1 otherwise.
 */
export async function runProgram(name: string, main: () => Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    const text = error instanceof ConfigError ? error.message : String(error);
    process.stderr.write(`${name}: ${text}\n`);
    process.exit(error instanceof ConfigError ? 2 : 1);
  }
}
