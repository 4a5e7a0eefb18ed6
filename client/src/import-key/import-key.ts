/** `node dist/import-key.js`: imports a secret into the vault without showing it to the service. */
import { readFileSync } from 'node:fs';
import { runImportKey } from './import-key-command.js';

process.exitCode = await runImportKey(process.argv.slice(2), {
  readStandardInput: () => readFileSync(0),
  writeOutput: (text) => process.stdout.write(text),
  writeNote: (text) => process.stderr.write(text),
});
