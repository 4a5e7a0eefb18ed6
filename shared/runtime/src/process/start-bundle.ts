/**
 * What a bundle's `main.js` is: starts the program that lies beside it, by what V8 made of it when it was built. That is code:
 * it lies beside the program, where only who may write the program may write. Node looks for it by its own version
 * and by the user who made it: to another user the program is read anew, and starts all the same.
 */
import { createRequire, enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

enableCompileCache(fileURLToPath(new URL('./code-cache/', import.meta.url)));
createRequire(import.meta.url)('./program.cjs');
