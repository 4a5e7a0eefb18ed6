/** What a party's primary replica remembers outside the database, made anew for one that has lost it. */
import { existsSync } from 'node:fs';
import { openPinFile, type LedgerPin } from '@countersign/runtime/ledger/ledger-pin.js';
import { ConfigError } from '@countersign/runtime/process/config.js';
import { replaceDurably } from '@countersign/runtime/process/replace-durably.js';
import { allForgotten, printMark } from '../requests/taken-until.js';

/** Throws ConfigError where the party has a memory. */
export function refuseMemory(pinFile: string): void {
  if (existsSync(pinFile)) throw new ConfigError(`${pinFile} is there: nothing is to be done`);
}

/** It knows the ledger up to `pin`, and nothing of any request that can have been made by `now` (ms). */
export async function writeMemory(pinFile: string, pin: LedgerPin, now: number): Promise<void> {
  // the mark first: a pin without it would be that of a party that has lost it
  await replaceDurably(`${pinFile}.taken`, printMark(allForgotten(now)));
  const file = openPinFile(pinFile);
  await file.read();
  await file.write(pin);
}

/** Pin files of other nodes. Throws ConfigError where one is not there. */
export function readPins(paths: readonly string[]): Promise<LedgerPin[]> {
  return Promise.all(
    paths.map(async (path) => {
      const pin = await openPinFile(path).read();
      if (pin === undefined) throw new ConfigError(`${path}: there is no such file`);
      return pin;
    }),
  );
}
