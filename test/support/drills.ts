import { test } from '@jest/globals';
import { runWhere } from './run-where.ts';

/** `npm run drills` asks for them. */
export const areDrillsRun = process.env['COUNTERSIGN_DRILLS'] === '1';

/**
 * A drill takes a whole vault tens of seconds: another fault, another party, or more rounds of what a shorter test beside
 * it shows. The check leaves it out, and says how many there are. Files of drills alone lie in `test/drills`.
 */
export function drill(...given: Parameters<typeof test>): void {
  // asked for at each call: this module is one for all files of a worker, and each has tests of its own
  runWhere(test, areDrillsRun, 'a drill, which npm run drills runs')(...given);
}

/** Of cases that differ in the party or the moment: the first ones in the check, all of them in `npm run drills`. */
export function someOf<Case>(cases: readonly Case[], kept = 1): readonly Case[] {
  return areDrillsRun ? cases : cases.slice(0, kept);
}
