/** Makes the wheel of the Python package, without a registry. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What is missing where {@link findBuilder} finds none. */
export const WHEEL_NEEDS = 'needs a Python with pip, and setuptools 61 or newer that makes wheels';

const CAN_BUILD = `
from importlib.metadata import version
version('pip')
setuptools = tuple(int(part) for part in version('setuptools').split('.')[:2])
assert setuptools >= (61, 0)
if setuptools < (70, 1):
    version('wheel')
`;

/** A Python that makes wheels: that of PYTHON, the first on the path, or the system's own. */
export function findBuilder(): string | undefined {
  const candidates = [process.env['PYTHON'] ?? 'python3', '/usr/bin/python3'];
  return candidates.find((python) => {
    try {
      execFileSync(python, ['-c', CAN_BUILD], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  });
}

/** The wheel's path; the same sources give the same bytes. */
export function packWheel(python: string, sources: string, folder: string): string {
  const stage = mkdtempSync(join(tmpdir(), 'countersign-wheel-'));
  try {
    const copied = join(stage, 'sources');
    cpSync(sources, copied, { recursive: true });
    const offline = ['--no-index', '--no-deps', '--no-build-isolation', '--quiet'];
    const args = ['-m', 'pip', 'wheel', ...offline, '-w', join(stage, 'made'), copied];
    // times in the archive: the earliest that it can tell
    const env = { ...process.env, SOURCE_DATE_EPOCH: '315532800' };
    execFileSync(python, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
    const [name = ''] = readdirSync(join(stage, 'made'));
    const made = join(folder, name);
    rmSync(made, { force: true });
    cpSync(join(stage, 'made', name), made);
    return made;
  } finally {
    rmSync(stage, { recursive: true });
  }
}
