/**
 * `npm run boundaries`: the import rules of `.dependency-cruiser.mjs`, and no cycle between folders. Says
 * each fault on a line; exit code 1 when there is one.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { findKnots, folderGraph, type CruisedModule } from './folder-cycles.js';

interface CruiseResult {
  readonly modules: readonly CruisedModule[];
  readonly summary: {
    readonly violations: readonly {
      readonly from: string;
      readonly to: string;
      readonly rule: { readonly name: string };
    }[];
  };
}

const ROOTS = ['shared', 'gateway', 'signer', 'notifier', 'client', 'console', 'infra', 'test'];

function cruise(): CruiseResult {
  const program = join('node_modules', 'dependency-cruiser', 'bin', 'dependency-cruise.mjs');
  const args = [program, '--config', '.dependency-cruiser.mjs', '--output-type', 'json', ...ROOTS];
  const options = { encoding: 'utf8', maxBuffer: 2 ** 28 } as const;
  const { stdout, stderr } = spawnSync(process.execPath, args, options);
  try {
    return JSON.parse(stdout) as CruiseResult;
  } catch (cause) {
    throw new Error(`the imports could not be read: ${stderr}`, { cause });
  }
}

const { modules, summary } = cruise();
const faults = [
  ...summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`),
  ...findKnots(folderGraph(modules)).map((knot) => `no-folder-cycle: ${knot.join(' <-> ')}`),
];
for (const fault of faults) process.stdout.write(`${fault}\n`);
process.stdout.write(`${modules.length} modules, ${faults.length} faults\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
