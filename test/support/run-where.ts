import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

interface Skippable {
  readonly skip: unknown;
}

/**
 * `describe` or `test` of what needs something of the machine. Where that is missing it is skipped, and its title says why: the end
 * of a run tells it (test/runner/run-summary.mjs).
 */
export function runWhere<Block extends Skippable>(
  block: Block,
  isPossible: boolean,
  need: string,
): Block {
  if (isPossible) return block;
  const skip = block.skip as (title: string, ...more: unknown[]) => unknown;
  const skipped = (title: string, ...more: unknown[]) =>
    skip(`${title} (skipped: ${need})`, ...more);
  return skipped as unknown as Block;
}

/** Whether a program of this name is on PATH. */
export function findProgram(name: string): boolean {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.some((folder) => existsSync(join(folder, name)));
}
