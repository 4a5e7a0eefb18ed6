import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Compares a generated text with its committed copy; `--write` replaces the copy. Who differs ends with 1, once its servers are stopped. */
export function checkDrift(path: string, generated: string): void {
  if (process.argv.includes('--write')) {
    writeFileSync(path, generated);
    return;
  }
  if (existsSync(path) && readFileSync(path, 'utf8') === generated) return;
  process.stderr.write(`${path} is out of date: run its check with --write and read the diff\n`);
  process.exitCode = 1;
}
