/** What the `import-key` command does, apart from the process around it. */
import { importSecret } from '../importing/import-secret.js';
import { parseImportKeyOptions, type ImportKeyOptions } from './import-key-options.js';
import { publicKeyOf, wipeSecret, type ImportedSecret } from '../keys/imported-secret.js';
import { KeyFileError } from '../keys/key-file-error.js';
import { readKeyFile } from '../keys/read-key-file.js';
import { readLine } from '../keys/read-line.js';
import { openCallerClient } from '../commands/caller-client.js';
import type { CommandSurroundings } from '../commands/command-surroundings.js';
import { LocalError } from '../commands/local-error.js';
import { readPinnedVault, readPrivate } from '../commands/local-files.js';

/** Runs the command and returns its exit code: 0 imported, 1 a local error, 2 one of the service. */
export async function runImportKey(
  args: readonly string[],
  surroundings: CommandSurroundings,
): Promise<0 | 1 | 2> {
  try {
    return await importKey(parseImportKeyOptions(args), surroundings);
  } catch (error) {
    surroundings.writeNote(`import-key: ${describeError(error)}\n`);
    return 1;
  }
}

/** The local files are all read before the service hears of anything. */
async function importKey(options: ImportKeyOptions, io: CommandSurroundings): Promise<0 | 2> {
  const vault = readPinnedVault(options.genesisFile);
  const client = openCallerClient(options);
  try {
    const secret = readSecret(options, io);
    try {
      const imported = await importSecret(client, { ...options, vault, secret });
      if (imported.ok) return tell(imported.value, secret, io);
      io.writeNote(`import-key: ${imported.error.errType}: ${imported.error.errMsg}\n`);
      return 2;
    } finally {
      wipeSecret(secret);
    }
  } finally {
    client.close();
  }
}

function tell(key: unknown, secret: ImportedSecret, io: CommandSurroundings): 0 {
  io.writeOutput(`${JSON.stringify(key, null, 2)}\n`);
  const publicKey = secret.type === 'ed25519' ? publicKeyOf(secret) : undefined;
  if (publicKey !== undefined) {
    const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
    io.writeNote(`the public key, for the venue:\n${pem}`);
  }
  return 0;
}

function readSecret(options: ImportKeyOptions, io: CommandSurroundings): ImportedSecret {
  const file = options.keyFile === '-' ? io.readStandardInput() : readPrivate(options.keyFile);
  try {
    return readKeyFile(file, {
      type: options.type,
      encoding: options.encoding,
      passphrase: readPassphrase(options.passphraseFile),
      venuePassphrase: readPassphrase(options.venuePassphraseFile),
    });
  } finally {
    file.fill(0);
  }
}

function readPassphrase(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const line = readLine(readPrivate(path));
  if (line === undefined) throw new LocalError(`${path} is not one line of text`);
  return line;
}

/** Errors of libraries may quote what they were given: only texts written here are shown. */
function describeError(error: unknown): string {
  if (error instanceof LocalError || error instanceof KeyFileError) return error.message;
  return `unexpected ${error instanceof Error ? error.name : 'error'}`;
}
