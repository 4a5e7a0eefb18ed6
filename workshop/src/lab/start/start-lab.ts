/** `npm start -- --lab`: the vault as `npm start` has it, and the lab beside it. */
import { start } from '@countersign/dev/start/start.js';
import { openLab } from './open-lab.js';

await start(process.argv.slice(3), openLab);
