import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { botProgram, isPublicKey, KEY_COMMANDS } from './bot-program.js';

it('has ten lines, which are a program', () => {
  const program = botProgram({ baseUrl: 'http://localhost:8080', vaultId: 'v', address: 'a' });
  expect(program.split('\n')).toHaveLength(10);
  expect(program).toContain("baseUrl: 'http://localhost:8080'");
  const check = ['--input-type=module', '--check', '-'];
  execFileSync(process.execPath, check, { input: program, stdio: ['pipe', 'ignore', 'pipe'] });
});

it('takes nothing out of a name that would end its string', () => {
  const address = "x'; process.exit(1); '";
  const program = botProgram({ baseUrl: 'https://vault.example.com', vaultId: 'v', address });
  expect(program).toContain("address: 'xprocess.exit1' }");
});

it('the commands print what a bot is registered with', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bot-'));
  try {
    const printed = execFileSync('sh', ['-c', KEY_COMMANDS], { cwd: folder, stdio: 'pipe' });
    expect(isPublicKey(printed.toString())).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it.each(['', 'ab', 'g'.repeat(64), 'a'.repeat(65)])('%j is no public key', (text) => {
  expect(isPublicKey(text)).toBe(false);
});
