/** `countersign`: what an operator, an officer or a script does with a vault. docs/reference/commands.md lists it all. */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { runCountersign } from './commands/run-countersign.js';
import { printable } from './tool/output.js';

const ERASE_LINE = '\r\u001b[K';
const isWatched = process.stderr.isTTY;
let isShown = false;

function clearProgress(): void {
  if (isShown) process.stderr.write(ERASE_LINE);
  isShown = false;
}

async function confirm(question: string): Promise<boolean | undefined> {
  if (!process.stdin.isTTY) return undefined;
  clearProgress();
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}

// whoever reads the output may stop, as `head` does
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

process.exitCode = await runCountersign(process.argv.slice(2), {
  environment: process.env,
  readStandardInput: () => readFileSync(0),
  writeOutput(text) {
    clearProgress();
    process.stdout.write(text);
  },
  writeNote(text) {
    clearProgress();
    process.stderr.write(text);
  },
  showProgress(text) {
    if (!isWatched) return;
    const shown = printable(text).slice(0, (process.stderr.columns ?? 80) - 1);
    process.stderr.write(`${ERASE_LINE}${shown}`);
    isShown = true;
  },
  confirm,
});
clearProgress();
