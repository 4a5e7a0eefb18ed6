import { execFileSync } from 'node:child_process';

/** What is missing where {@link findPython} finds none. */
export const PYTHON_NEEDS = 'needs python3 and cryptography';

/** A Python that can run the Python package, or undefined: not every machine has one. PYTHON names another. */
export function findPython(): string | undefined {
  const python = process.env['PYTHON'] ?? 'python3';
  const check = 'import sys, cryptography; sys.exit(sys.version_info < (3, 10))';
  try {
    execFileSync(python, ['-c', check], { stdio: 'ignore' });
    return python;
  } catch {
    return undefined;
  }
}
