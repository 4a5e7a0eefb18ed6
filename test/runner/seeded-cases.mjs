/**
 * fast-check draws its seed from the clock where nobody gives one: a test would have other cases in each run, and a failure would come
 * and go. `CASES_SEED` is another one, for whoever wants to see more of them.
 */
import fc from 'fast-check';

const SEED = 1;

fc.configureGlobal({ seed: Number(process.env.CASES_SEED ?? SEED) });
