/** Makes anew what a party's primary replica remembers outside the database, for a party that has lost it. */
import { existsSync } from 'node:fs';
import { openPinFile, type LedgerPin } from '@countersign/runtime/ledger/ledger-pin.js';
import { ConfigError } from '@countersign/runtime/process/config.js';
import { replaceDurably } from '@countersign/runtime/process/replace-durably.js';
import { allForgotten, printMark, readMark } from '../requests/taken-until.js';

/** Throws ConfigError where the party has a memory. */
export function refuseMemory(pinFile: string): void {
  if (existsSync(pinFile)) throw new ConfigError(`${pinFile} is there: nothing is to be done`);
}

/** The new memory knows the ledger up to `pin`, and no request that can have been made by `now` (ms). */
export async function writeMemory(pinFile: string, pin: LedgerPin, now: number): Promise<void> {
  // the mark is written first: a pin without it would be that of a party that has lost it
  const path = `${pinFile}.taken`;
  const { before, forgotten } = allForgotten(now);
  // a mark that is still there never goes back
  const earlier = await readMark(path);
  const mark = { before: Math.max(before, earlier?.before ?? 0), forgotten };
  await replaceDurably(path, printMark(mark));
  const file = openPinFile(pinFile);
  await file.read();
  await file.write(pin);
}

/** Reads pin files of other nodes. Throws ConfigError where one is not there. */
export function readPins(paths: readonly string[]): Promise<LedgerPin[]> {
  return Promise.all(
    paths.map(async (path) => {
      const pin = await openPinFile(path).read();
      if (pin === undefined) throw new ConfigError(`${path}: there is no such file`);
      return pin;
    }),
  );
}
