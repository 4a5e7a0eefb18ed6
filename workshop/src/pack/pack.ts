/**
 * `npm run pack [-- FOLDER]`: the packages for programs that use a vault, each of which installs alone, without a registry.
 * They are written to FOLDER (`packed/` when absent), and told with their SHA-256.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { packNpm } from './pack-npm.js';
import { findBuilder, packWheel, WHEEL_NEEDS } from './pack-wheel.js';
import { PACKED_WORKSPACES } from './packed-workspaces.js';

const folder = resolve(process.argv[2] ?? 'packed');
mkdirSync(folder, { recursive: true });

function tell(path: string): void {
  const digest = createHash('sha256').update(readFileSync(path)).digest('hex');
  process.stdout.write(`${digest}  ${relative(process.cwd(), path)}\n`);
}

for (const workspace of PACKED_WORKSPACES) tell(await packNpm(workspace, folder));
const python = findBuilder();
if (python === undefined) {
  process.stderr.write(`pack: no wheel was made, which ${WHEEL_NEEDS}\n`);
  process.exitCode = 1;
} else {
  tell(packWheel(python, 'client/python', folder));
}
