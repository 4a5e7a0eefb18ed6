/** `countersign keys import`: a secret goes into the vault without the service seeing it. */
import {
  publicKeyOf,
  wipeSecret,
  type ImportedSecret,
} from '@countersign/client/imported-secret.js';
import { KeyFileError } from '@countersign/client/key-file-error.js';
import { LocalError } from '@countersign/client/local-error.js';
import { readPinnedVault, readPrivate } from '@countersign/client/local-files.js';
import { readLine } from '@countersign/client/read-line.js';
import { UUID_PATTERN } from '@countersign/core/hash.js';
import {
  SCHEMES_BY_KEY_TYPE,
  schemesOf,
  type KeyType,
  type SignatureScheme,
} from '@countersign/core/signature-schemes.js';
import {
  UsageError,
  type Command,
  type Given,
  type Outcome,
  type Surroundings,
} from '../tool/command.js';
import { asCaller, valueOrRefused } from './caller.js';
import { GENESIS_OPTION, genesisFileOf } from './given-files.js';
import { PROFILE_OPTION } from './profile.js';

export const IMPORT_KEY_COMMAND: Command = {
  words: 'keys import',
  about: 'Import a secret or private key, split on this machine.',
  details:
    'The service sees only what is sealed to the three parties of the pinned genesis. Every file with a secret must be readable by its owner alone.',
  options: [
    {
      name: 'type',
      value: 'TYPE',
      about: 'What is imported.',
      isRequired: true,
      words: Object.keys(SCHEMES_BY_KEY_TYPE),
    },
    {
      name: 'user-id',
      value: 'UUID',
      about: 'Who imports: your own id, as told with your API key. The service is not asked.',
      isRequired: true,
    },
    { name: 'in', value: 'FILE', about: 'The secret; - reads standard input.', isRequired: true },
    { name: 'name', value: 'NAME', about: "The key's display name.", isRequired: true },
    {
      name: 'encoding',
      value: 'ENCODING',
      about:
        'hmac: utf8, hex or base64, as the venue writes the secret. Others: pkcs8, pkcs1, pkcs12, jwk or seed, to insist on one.',
    },
    { name: 'passphrase-file', value: 'FILE', about: 'Opens an encrypted key file.' },
    {
      name: 'venue-passphrase-file',
      value: 'FILE',
      about: 'hmac: the third secret that some venues give.',
    },
    { name: 'description', value: 'TEXT', about: 'For people.' },
    {
      name: 'scheme',
      value: 'SCHEME',
      about: 'How the key signs, where its type has several ways.',
    },
    { name: 'venue', value: 'VENUE', about: 'Id of the venue where the key is good.' },
    { name: 'venue-api-key', value: 'ID', about: "The venue's own name for the key." },
    {
      name: 'label',
      value: 'NAME=VALUE',
      about: 'A label of the key; may be repeated.',
      isList: true,
    },
    GENESIS_OPTION,
    PROFILE_OPTION,
  ],
  examples: [
    'keys import --user-id ID --type hmac --in secret --encoding utf8 --name "main account" --venue binance --venue-api-key KEY',
    'keys import --user-id ID --type ed25519 --in key.pem --passphrase-file passphrase --name bot',
  ],
  run: importKey,
};

/** The local files are all read before the service hears of anything. */
async function importKey(given: Given, io: Surroundings): Promise<Outcome> {
  const type = given.one('type') as KeyType;
  const userId = given.one('user-id');
  if (!UUID_PATTERN.test(userId)) throw new UsageError('--user-id is no UUID');
  const labels = parseLabels(given.all('label'));
  const scheme = parseScheme(given.maybe('scheme'), type);
  // the two passphrases are easily taken for each other, and a dropped one is found out late
  const misplaced = type === 'hmac' ? 'passphrase-file' : 'venue-passphrase-file';
  if (given.maybe(misplaced) !== undefined)
    throw new UsageError(`--${misplaced} is not for ${type}`);
  const vault = readPinnedVault(genesisFileOf(given, io));
  return asCaller(given, io, async ({ client }) => {
    const secret = await readSecret(given, type, io);
    try {
      const named = { displayName: given.one('name'), ...metadataOf(given), ...labels, ...scheme };
      const asked = { ...named, userId, vault, secret };
      const { importSecret } = await import('@countersign/client/import-secret.js');
      const value = valueOrRefused(await importSecret(client, asked));
      tellPublicKey(secret, io);
      return { value };
    } finally {
      wipeSecret(secret);
    }
  });
}

function metadataOf(given: Given): Readonly<Record<string, string>> {
  const names = { description: 'description', venue: 'venueId', 'venue-api-key': 'venueApiKey' };
  const stated = Object.entries(names).flatMap(([option, name]) => {
    const value = given.maybe(option);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(stated);
}

function tellPublicKey(secret: ImportedSecret, io: Surroundings): void {
  const publicKey = secret.type === 'ed25519' ? publicKeyOf(secret) : undefined;
  if (publicKey === undefined) return;
  const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
  io.writeNote(`the public key, for the venue:\n${pem}`);
}

async function readSecret(given: Given, type: KeyType, io: Surroundings): Promise<ImportedSecret> {
  const { readKeyFile } = await import('@countersign/client/read-key-file.js');
  const path = given.one('in');
  const file = path === '-' ? io.readStandardInput() : readPrivate(path);
  try {
    return readKeyFile(file, {
      type,
      encoding: given.maybe('encoding'),
      passphrase: readPassphrase(given.maybe('passphrase-file')),
      venuePassphrase: readPassphrase(given.maybe('venue-passphrase-file')),
    });
  } catch (error) {
    // errors of libraries may quote what they were given: only texts written here are shown
    if (error instanceof KeyFileError) throw new UsageError(error.message);
    if (error instanceof LocalError || error instanceof UsageError) throw error;
    throw new UsageError(`unexpected ${error instanceof Error ? error.name : 'error'}`);
  } finally {
    file.fill(0);
  }
}

function readPassphrase(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const line = readLine(readPrivate(path));
  if (line === undefined) throw new UsageError(`${path} is not one line of text`);
  return line;
}

function parseScheme(scheme: string | undefined, type: KeyType): { scheme?: SignatureScheme } {
  if (scheme === undefined) return {};
  const found = schemesOf(type).find((one) => one === scheme);
  if (found !== undefined) return { scheme: found };
  throw new UsageError(`--scheme for ${type} is one of ${schemesOf(type).join(', ')}`);
}

function parseLabels(given: readonly string[]): { labels?: Readonly<Record<string, string>> } {
  if (given.length === 0) return {};
  const pairs = given.map((label) => {
    const at = label.indexOf('=');
    if (at < 1) throw new UsageError('--label is NAME=VALUE');
    return [label.slice(0, at), label.slice(at + 1)] as const;
  });
  if (new Set(pairs.map(([name]) => name)).size !== pairs.length) {
    throw new UsageError('--label names something twice');
  }
  return { labels: Object.fromEntries(pairs) };
}
