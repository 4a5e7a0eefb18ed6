/** `node dist/secrets/create-keys.js <folder> <party>`: makes a party's keys and prints their public half as JSON. */
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { createPartyKeys } from './create-party-keys.js';

const [folder, number, ...more] = process.argv.slice(2);
const party = PARTY_NUMBERS.find((one) => String(one) === number);
if (folder === undefined || party === undefined || more.length > 0) {
  process.stderr.write('usage: create-keys <folder> <party: 1, 2 or 3>\n');
  process.exit(2);
}
try {
  process.stdout.write(JSON.stringify(createPartyKeys(folder, party)) + '\n');
} catch (error) {
  process.stderr.write(`create-keys: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
