/** The commands of a page, as a reader types them one after the other, at a vault that `npm start` has started. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What starts a vault, or all tests, is left out. */
const STARTS = /^npm (start|test)\b/m;

/** Code of a page in one language, without the indentation that it has in a list. */
export function blocksOf(page: string, language: string): string[] {
  const pattern = new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^\\1\`\`\``, 'gm');
  return [...page.matchAll(pattern)].map(([, indent = '', block = '']) =>
    block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

/** One script of all of them. */
export function commandsOf(page: string): string {
  return blocksOf(page, 'sh')
    .filter((block) => !STARTS.test(block))
    .join('\n');
}

/** What a page says that its commands print: behind `# →`, several lines with ` | ` between. */
export function promisedLines(script: string): string[] {
  return [...script.matchAll(/# → (.*)$/gm)].flatMap(([, lines = '']) => lines.split(' | '));
}

export interface StartedVault {
  readonly home: string;
  readonly baseUrl: string;
}

/** Rejects where a command fails. Returns what they printed, line by line. */
export async function followPage(path: string, vault: StartedVault): Promise<string[]> {
  const script = commandsOf(readFileSync(path, 'utf8'))
    .replaceAll('.countersign', vault.home)
    .replaceAll('http://127.0.0.1:8080', vault.baseUrl);
  const { HOME, PATH = '' } = process.env;
  const { stdout } = await run('sh', ['-euc', script], {
    env: { HOME, PATH: `${dirname(process.execPath)}:${PATH}`, COUNTERSIGN_HOME: vault.home },
    timeout: 100_000,
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout.split('\n');
}
