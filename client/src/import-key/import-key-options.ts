import { parseArgs } from 'node:util';
import { UUID_PATTERN } from '@countersign/core/hash.js';
import {
  SCHEMES_BY_KEY_TYPE,
  schemesOf,
  type KeyType,
  type SignatureScheme,
} from '@countersign/core/signature-schemes.js';
import { LocalError } from '../commands/local-error.js';

export interface ImportKeyOptions {
  readonly url: string;
  readonly userId: string;
  readonly apiKeyFile: string;
  readonly privateKeyFile: string;
  readonly genesisFile: string;
  /** `-`: standard input. */
  readonly keyFile: string;
  readonly passphraseFile?: string;
  readonly venuePassphraseFile?: string;
  readonly type: KeyType;
  readonly encoding?: string;
  readonly scheme?: SignatureScheme;
  readonly displayName: string;
  readonly description?: string;
  readonly venueId?: string;
  readonly venueApiKey?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export const USAGE = `usage: import-key
  --url URL                     of the service, e.g. https://vault.example:8080
  --user-id UUID                who imports, as told when the API key was created
  --api-key-file FILE           the caller's API key
  --private-key-file FILE       the caller's own Ed25519 key, PEM
  --genesis FILE                what \`countersign genesis\` printed on a party's machine
  --type hmac|ed25519|rsa       what is imported
  --in FILE                     the secret; - reads standard input
  --encoding ENCODING           hmac: utf8, hex or base64, as the venue writes the secret;
                                others: pkcs8, pkcs1, pkcs12, jwk or seed, to insist on one
  --passphrase-file FILE        opens an encrypted key file
  --venue-passphrase-file FILE  hmac: the third secret that some venues give
  --name NAME                   the key's display name
  [--description TEXT] [--scheme SCHEME] [--venue VENUE_ID] [--venue-api-key ID]
  [--label NAME=VALUE ...]

The secret is split on this machine; the service sees only what is sealed to its three parties.
Exit codes: 0 imported, 1 an error on this machine, 2 an error of the service.`;

const text = { type: 'string' } as const;
const OPTIONS = {
  url: text,
  'user-id': text,
  'api-key-file': text,
  'private-key-file': text,
  genesis: text,
  type: text,
  in: text,
  encoding: text,
  'passphrase-file': text,
  'venue-passphrase-file': text,
  name: text,
  description: text,
  scheme: text,
  venue: text,
  'venue-api-key': text,
  label: { type: 'string', multiple: true },
} as const;

/** Throws LocalError, never with the value of an argument: a secret may have been given by mistake. */
export function parseImportKeyOptions(args: readonly string[]): ImportKeyOptions {
  const values = parseValues(args);
  const required = (name: Exclude<keyof typeof OPTIONS, 'label'>): string => {
    const value = values[name];
    if (value === undefined || value === '') throw usageError(`--${name} is required`);
    return value;
  };
  const userId = required('user-id');
  if (!UUID_PATTERN.test(userId)) throw usageError('--user-id is no UUID');
  const type = parseType(required('type'));
  // the two passphrases are easily taken for each other, and a dropped one is found out late
  const misplaced = type === 'hmac' ? 'passphrase-file' : 'venue-passphrase-file';
  if (values[misplaced] !== undefined) throw usageError(`--${misplaced} is not for ${type}`);
  return {
    url: required('url'),
    userId,
    apiKeyFile: required('api-key-file'),
    privateKeyFile: required('private-key-file'),
    genesisFile: required('genesis'),
    keyFile: required('in'),
    type,
    displayName: required('name'),
    ...stated('passphraseFile', values['passphrase-file']),
    ...stated('venuePassphraseFile', values['venue-passphrase-file']),
    ...stated('encoding', values.encoding),
    ...stated('scheme', parseScheme(values.scheme, type)),
    ...stated('description', values.description),
    ...stated('venueId', values.venue),
    ...stated('venueApiKey', values['venue-api-key']),
    ...stated('labels', parseLabels(values.label)),
  };
}

function parseValues(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, strict: true }).values;
  } catch {
    // the parser's own error repeats the argument
    throw usageError('an argument is unknown or incomplete');
  }
}

function stated<Name extends string, Value>(name: Name, value: Value | undefined) {
  return (value === undefined ? {} : { [name]: value }) as { readonly [Key in Name]?: Value };
}

function parseType(given: string): KeyType {
  if (!Object.hasOwn(SCHEMES_BY_KEY_TYPE, given)) {
    throw usageError(`--type is one of ${Object.keys(SCHEMES_BY_KEY_TYPE).join(', ')}`);
  }
  return given as KeyType;
}

function parseScheme(given: string | undefined, type: KeyType): SignatureScheme | undefined {
  const scheme = schemesOf(type).find((candidate) => candidate === given);
  if (given !== undefined && scheme === undefined) {
    throw usageError(`--scheme for ${type} is one of ${schemesOf(type).join(', ')}`);
  }
  return scheme;
}

function parseLabels(
  given: readonly string[] | undefined,
): Readonly<Record<string, string>> | undefined {
  if (given === undefined) return undefined;
  const pairs = given.map((label) => {
    const at = label.indexOf('=');
    if (at < 1) throw usageError('--label is NAME=VALUE');
    return [label.slice(0, at), label.slice(at + 1)] as const;
  });
  if (new Set(pairs.map(([name]) => name)).size !== pairs.length) {
    throw usageError('--label names something twice');
  }
  return Object.fromEntries(pairs);
}

function usageError(message: string): LocalError {
  return new LocalError(`${message}\n${USAGE}`);
}
