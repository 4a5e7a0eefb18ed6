/** The committed API description must be the one that the gateway serves. */
import { execFileSync } from 'node:child_process';
import { programPath } from '../stack/programs.js';
import { checkDrift } from './drift.js';

const program = programPath('gateway', 'openapi/print-openapi');
checkDrift('docs/openapi.json', execFileSync(process.execPath, [program], { encoding: 'utf8' }));
