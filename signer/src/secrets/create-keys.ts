/**
 * `node signer/bundle/secrets/create-keys.js <folder> <party> --kek-file <file> [--kek-provider <file>]`: makes a
 * party's keys and prints their public half as JSON. The KEK lies in the file (`KEK_FILE`). That has no default: it
 * lies beside what it seals only where somebody says so. With a provider's settings that provider's key wraps it.
 */
import { parseArgs } from 'node:util';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { createPartyKeys } from './create-party-keys.js';
import { readProviderSettings } from './kek/wrapped-kek.js';

function readArguments(args: readonly string[]) {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { 'kek-file': { type: 'string' }, 'kek-provider': { type: 'string' } },
    });
    const [folder, number, ...more] = positionals;
    const party = PARTY_NUMBERS.find((one) => String(one) === number);
    const { 'kek-file': kekFile, 'kek-provider': settings } = values;
    if (folder === undefined || kekFile === undefined || more.length > 0) return undefined;
    if (party === undefined) return undefined;
    return { folder, party, kekFile, settings };
  } catch {
    return undefined;
  }
}

const asked = readArguments(process.argv.slice(2));
if (asked === undefined) {
  process.stderr.write(
    `usage: create-keys <folder> <party: 1, 2 or 3> --kek-file <file> [--kek-provider <file>]\n`,
  );
  process.exit(2);
}
try {
  const { folder, party, kekFile, settings } = asked;
  const provider = settings === undefined ? undefined : readProviderSettings(settings);
  const publicKeys = await createPartyKeys(folder, party, { kekFile, provider });
  process.stdout.write(JSON.stringify(publicKeys) + '\n');
} catch (error) {
  process.stderr.write(`create-keys: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
