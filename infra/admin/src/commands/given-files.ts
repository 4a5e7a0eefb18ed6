/** Files that a command names. */
import { readFile } from '@countersign/client/local-files.js';
import { UsageError, type Given, type Option, type Surroundings } from '../tool/command.js';
import { findProfile } from './profile.js';

export const GENESIS_OPTION: Option = {
  name: 'genesis',
  value: 'FILE',
  about:
    "What `countersign genesis` printed on a party's machine; else GENESIS_FILE, else that of the profile.",
};

/** `-`: standard input. Throws LocalError. */
export function readText(file: string, io: Surroundings): string {
  return (file === '-' ? io.readStandardInput() : readFile(file)).toString('utf8');
}

/** Of a command with the options `genesis` and `profile`. */
export function genesisFileOf(given: Given, { environment }: Surroundings): string {
  const file =
    given.maybe('genesis') ??
    environment['GENESIS_FILE'] ??
    findProfile(given, environment)?.genesis_file;
  if (file === undefined) throw new UsageError('--genesis FILE is required');
  return file;
}
