/** The tests of the Python package, by whatever Python is here. It needs `cryptography`; what else they need they skip. */
import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { findPython, PYTHON_NEEDS } from '../support/python.ts';
import { runWhere } from '../support/run-where.ts';

const run = promisify(execFile);
const python = findPython();
const testWhere = runWhere(test, python !== undefined, PYTHON_NEEDS);

testWhere(
  'the Python package keeps its promises',
  async () => {
    const { stderr } = await run(
      python!,
      ['-B', '-m', 'unittest', 'discover', '-t', '.', '-s', 'tests'],
      {
        cwd: 'client/python',
        env: { PATH: process.env['PATH'], PYTHONPATH: 'src' },
      },
    );
    expect(stderr).toMatch(/Ran \d\d tests in [\s\S]*^OK/m);
  },
  60_000,
);

testWhere('it is written in the Python of 3.10 to 3.13', () => {
  const program = [
    'import ast, pathlib',
    'for path in pathlib.Path("client/python").rglob("*.py"):',
    '    for minor in range(10, 14):',
    '        ast.parse(path.read_text(), str(path), feature_version=(3, minor))',
    '    print(path)',
  ].join('\n');
  const parsed = execFileSync(python!, ['-B', '-c', program], { encoding: 'utf8' });
  expect(parsed).toContain('ccxt_exchange.py');
});
