/**
 * The committed API description must be the one that the gateway serves. Each release of the specification
 * has a file of its own, and only the newest may change.
 */
import { execFileSync } from 'node:child_process';
import { SPEC_VERSION } from '@countersign/api/operations/service.js';
import { programPath } from '../stack/programs.js';
import { checkDrift } from './drift.js';

const [major, minor] = SPEC_VERSION.split('.');
const program = programPath('gateway', 'openapi/print-openapi');
checkDrift(
  `docs/specs/v${major}.${minor}/openapi.json`,
  execFileSync(process.execPath, [program], { encoding: 'utf8' }),
);
