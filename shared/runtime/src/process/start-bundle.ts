/** What a bundle's `main.js` is: starts the program that lies beside it. */
import { fileURLToPath } from 'node:url';
import { openCachedProgram } from './cached-program.js';

openCachedProgram(fileURLToPath(new URL('./program.cjs', import.meta.url))).run();
