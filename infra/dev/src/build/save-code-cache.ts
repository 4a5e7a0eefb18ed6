/**
 * `node save-code-cache.js <program.cjs>`, in an environment that says nothing: the program is loaded, tells that it
 * lacks its configuration and ends (the starter does nothing until it is called), and what V8 has made of it by then is
 * kept beside it.
 */
import { openCachedProgram } from '@countersign/runtime/process/cached-program.js';

const program = openCachedProgram(process.argv[2]!);
process.once('exit', () => program.saveCache());
program.run();
