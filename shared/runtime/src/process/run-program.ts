import { once } from 'node:events';
import { ConfigError } from './config.js';

/** Makes a program wait, once it is loaded, until whoever forked it sends it its environment. */
export const WHEN_TOLD = '--when-told';

/**
 * Runs a program of the vault, with `environment` unless it is sent another one. If it cannot start, it says why on
 * stderr and ends: with 2 if its configuration is wrong, with 1 otherwise. One that waits for its environment ends
 * when nobody is left to send it.
 */
export async function runProgram(
  name: string,
  environment: NodeJS.ProcessEnv,
  main: (environment: NodeJS.ProcessEnv) => Promise<void>,
): Promise<void> {
  try {
    await main(process.argv.includes(WHEN_TOLD) ? await told() : environment);
  } catch (error) {
    const text = error instanceof ConfigError ? error.message : String(error);
    process.stderr.write(`${name}: ${text}\n`);
    process.exit(error instanceof ConfigError ? 2 : 1);
  }
}

async function told(): Promise<NodeJS.ProcessEnv> {
  const [environment] = (await once(process, 'message')) as [NodeJS.ProcessEnv];
  return environment;
}
