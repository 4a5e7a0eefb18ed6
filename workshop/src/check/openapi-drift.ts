/**
 * The committed API description must be the one that the gateway serves. Each release of the specification
 * has a file of its own, and only the newest may change.
 */
import { execFileSync } from 'node:child_process';
import { programPath } from '@countersign/dev/stack/programs.js';
import { checkDrift } from './drift.js';
import { specPath } from './spec-path.js';

const program = programPath('gateway', 'pages/print-openapi');
checkDrift(specPath(), execFileSync(process.execPath, [program], { encoding: 'utf8' }));
