/**
 * A bundle's `main.js`: starts the program beside it from V8's code cache, made at build time. The cache is code, so
 * it lies where only those may write who may write the program. Node looks it up by its own version and the user who
 * made it. For another user the program is compiled anew, and starts all the same.
 */
import { createRequire, enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

enableCompileCache(fileURLToPath(new URL('./code-cache/', import.meta.url)));
createRequire(import.meta.url)('./program.cjs');
