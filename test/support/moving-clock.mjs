// Preloaded into a process whose clock a test moves: SIGUSR2 puts it ahead by the milliseconds that the
// query of this module's URL names as `step`, and `ahead` is where it begins.
import { isMainThread } from 'node:worker_threads';

const { searchParams } = new URL(import.meta.url);
const realNow = Date.now;
let aheadMs = Number(searchParams.get('ahead'));
Date.now = () => realNow() + aheadMs;
if (isMainThread) {
  process.on('SIGUSR2', () => {
    aheadMs += Number(searchParams.get('step'));
  });
}
