/**
 * `npm run boundaries`: the rules of `import-rules.ts`, and no cycle between folders. Says each fault on a line; exit code
 * 1 when there is one.
 */
import { applyRules } from './apply-rules.js';
import { folderGraph } from './folder-cycles.js';
import { readImportGraph } from './import-graph.js';
import { BUILT, IMPORT_RULES } from './import-rules.js';
import { findKnots } from './knots.js';

const ROOTS = [
  'shared',
  'gateway',
  'signer',
  'notifier',
  'client',
  'console',
  'infra',
  'workshop',
  'test',
];

const imports = readImportGraph(ROOTS, BUILT);
const faults = [
  ...applyRules(imports, IMPORT_RULES).map(({ rule, from, to }) => `${rule}: ${from} -> ${to}`),
  ...findKnots(folderGraph(imports)).map((knot) => `no-folder-cycle: ${knot.join(' <-> ')}`),
];
for (const fault of faults) process.stdout.write(`${fault}\n`);
process.stdout.write(`${imports.size} sources, ${faults.length} faults\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
