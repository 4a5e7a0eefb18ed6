/**
 * `node signer/bundle/secrets/create-keys.js <folder> <party> [--kek-file <file>]`: makes a party's keys and prints their
 * public half as JSON. With a file the KEK lies there (`KEK_FILE`), else in the folder.
 */
import { parseArgs } from 'node:util';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { createPartyKeys } from './create-party-keys.js';

function readArguments(args: readonly string[]) {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { 'kek-file': { type: 'string' } },
    });
    const [folder, number, ...more] = positionals;
    const party = PARTY_NUMBERS.find((one) => String(one) === number);
    if (folder === undefined || party === undefined || more.length > 0) return undefined;
    return { folder, party, kekFile: values['kek-file'] };
  } catch {
    return undefined;
  }
}

const asked = readArguments(process.argv.slice(2));
if (asked === undefined) {
  process.stderr.write('usage: create-keys <folder> <party: 1, 2 or 3> [--kek-file <file>]\n');
  process.exit(2);
}
try {
  const publicKeys = createPartyKeys(asked.folder, asked.party, asked.kekFile);
  process.stdout.write(JSON.stringify(publicKeys) + '\n');
} catch (error) {
  process.stderr.write(`create-keys: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
