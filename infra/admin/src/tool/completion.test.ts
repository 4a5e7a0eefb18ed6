/** The scripts, asked as a shell asks them. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { COMMANDS } from '../commands/all-commands.js';
import { completionScript } from './completion.js';

let folder: string;
let bash: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'completion-'));
  bash = join(folder, 'countersign.bash');
  writeFileSync(bash, completionScript(COMMANDS, 'bash'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What is offered for the last of these words. */
function offered(...words: string[]): string[] {
  const typed = ['countersign', ...words].map((word) => `'${word}'`).join(' ');
  const script = `. ${bash}; COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _countersign; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const output = execFileSync('bash', ['--norc', '-u', '-c', script], { encoding: 'utf8' });
  return output.split('\n').filter((line) => line !== '');
}

describe('completion in bash', () => {
  it('parses', () => {
    execFileSync('bash', ['-n', bash]);
  });

  it('offers nouns, and commands that are one word', () => {
    expect(offered('pol')).toEqual(['policies']);
    expect(offered('re')).toEqual([
      'receipt',
      'requests',
      'replace-party',
      'refresh',
      'restore',
      'reference',
    ]);
  });

  it('offers the verbs of a noun', () => {
    expect(offered('policies', 'a')).toEqual(['apply']);
    expect(offered('freeze', '')).toEqual(['system', 'users', 'keys', 'vaults', 'wallets']);
  });

  it('offers options wherever they may stand, and the words that a value can be', () => {
    expect(offered('policies', 'apply', '--d')).toEqual(['--days', '--dry-run']);
    expect(offered('policies', 'apply', '-f', 'x', '--js')).toEqual(['--json']);
    expect(offered('audit', 'export', '--outcome', '')).toEqual(['allowed', 'denied', 'failed']);
    expect(offered('completion', 'f')).toEqual(['fish']);
  });

  it('offers nothing where a file is wanted, or where nothing is known', () => {
    expect(offered('audit', 'verify', 'exp')).toEqual([]);
    expect(offered('nonsense', 'a')).toEqual([]);
  });
});

it.each(['zsh', 'fish'] as const)('has every command for %s', (shell) => {
  const script = completionScript(COMMANDS, shell);
  for (const { commands } of COMMANDS.topics) {
    for (const { words } of commands) expect(script).toContain(`"${words}`);
  }
});
