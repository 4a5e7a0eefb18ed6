/** What the API description says of texts is understood beside JavaScript, too: by generators of clients in Python, for one. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { specPath } from '../../workshop/dist/check/spec-path.js';
import { runWhere } from '../support/run-where.ts';

const python = process.env['PYTHON'] ?? 'python3';

function isThere(): boolean {
  try {
    execFileSync(python, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function patternsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) =>
    name === 'pattern' && typeof item === 'string' ? item : patternsOf(item),
  );
}

const patterns = patternsOf(JSON.parse(readFileSync(specPath(), 'utf8')));

test('no pattern depends on a table of Unicode', () => {
  expect(patterns.length).toBeGreaterThan(20);
  expect(patterns.filter((pattern) => /\\[pP]\{/.test(pattern))).toEqual([]);
});

runWhere(
  test,
  isThere(),
  'needs python3',
)('Python reads every pattern', () => {
  const program = 'import json, re, sys\nfor one in json.load(sys.stdin): re.compile(one)';
  const input = JSON.stringify(patterns);
  expect(execFileSync(python, ['-c', program], { input, encoding: 'utf8' })).toBe('');
});
