/**
 * `node dist/secrets/create-keys.js <folder> <party>`: makes a party's keys and prints their public half as JSON. With
 * `--seal` behind it: seals the keys of an older folder, which lie open in it.
 */
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { createPartyKeys, sealOpenKeys } from './create-party-keys.js';

const [folder, number, flag] = process.argv.slice(2);
const party = PARTY_NUMBERS.find((one) => String(one) === number);
if (folder === undefined || party === undefined || (flag !== undefined && flag !== '--seal')) {
  process.stderr.write('usage: create-keys <folder> <party: 1, 2 or 3> [--seal]\n');
  process.exit(2);
}
try {
  const create = flag === '--seal' ? sealOpenKeys : createPartyKeys;
  process.stdout.write(JSON.stringify(create(folder, party)) + '\n');
} catch (error) {
  process.stderr.write(`create-keys: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
