/**
 * `npm run release -- <version> [--dry-run]`: the version in every manifest and the lock, the changelog, the API
 * description of the specification's release, a commit and a tag. `--dry-run` says what it would do. Run the
 * whole check before; what comes out of it is for somebody to push.
 */
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { specPath } from '../check/spec-path.js';
import { programPath } from '@countersign/dev/stack/programs.js';
import { planRelease } from './plan-release.js';
import { carryOut, readFacts } from './release-repository.js';

const { values, positionals } = parseArgs({
  options: { 'dry-run': { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [version = '', ...rest] = positionals;
if (version === '' || rest.length > 0) {
  process.stderr.write('release: say the version, e.g. npm run release -- 0.2.0 [--dry-run]\n');
  process.exit(2);
}

const program = programPath('gateway', 'pages/print-openapi');
const description = {
  path: specPath(),
  text: execFileSync(process.execPath, [program], { encoding: 'utf8' }),
};
const today = new Date().toISOString().slice(0, 10);
const root = process.cwd();
const plan = planRelease(readFacts(root, { version, today, description }));
if ('faults' in plan) {
  for (const fault of plan.faults) process.stderr.write(`release: ${fault}\n`);
  process.exit(1);
}
if (values['dry-run']) {
  for (const path of plan.writes.keys()) process.stdout.write(`would write ${path}\n`);
  process.stdout.write(`would commit "${plan.message}" and tag it ${plan.tag}\n`);
} else {
  carryOut(root, plan);
  process.stdout.write(`${plan.tag} is committed and tagged, and not pushed\n`);
}
