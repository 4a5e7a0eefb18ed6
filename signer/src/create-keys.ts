/** `node dist/create-keys.js <folder>`: makes a party's keys and prints their public half as JSON. */
import { createPartyKeys } from './party/party-keys.js';

const folder = process.argv[2];
if (folder === undefined) {
  process.stderr.write('usage: create-keys <folder>\n');
  process.exit(2);
}
try {
  process.stdout.write(JSON.stringify(createPartyKeys(folder)) + '\n');
} catch (error) {
  process.stderr.write(`create-keys: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
