import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readJestReport, type Tally } from './jest-report.js';

/** Runs Jest, whose progress goes to the reader as it comes; `args` are its own, `environment` comes to ours. */
export async function runTests(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-check-'));
  const report = join(folder, 'jest.json');
  const child = spawn(
    process.execPath,
    ['infra/launch.mjs', 'test', '--json', `--outputFile=${report}`, ...args],
    { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, ...environment } },
  );
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    if (!existsSync(report)) throw new Error(`ended with code ${code}`);
    return readJestReport(readFileSync(report, 'utf8'), code !== 0);
  } catch (error) {
    process.stderr.write(`the tests left no report: ${String(error)}\n`);
    return { passed: 0, failed: 1, skipped: [] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
