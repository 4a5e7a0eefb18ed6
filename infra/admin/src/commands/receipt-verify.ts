/** Receipts: shown as the vault gave them, and checked offline against a pinned genesis. */
import { existsSync } from 'node:fs';
import { parseBase64, parseBase64Url, parseHex, type Bytes } from '@countersign/core/bytes.js';
import { SIGNATURE_SCHEMES, type SignatureScheme } from '@countersign/core/signature-schemes.js';
import { parsePublicKey, type GivenPublicKey } from '@countersign/client/given-public-key.js';
import { parseJson, readFile, readPinnedVault } from '@countersign/client/local-files.js';
import { reportOnReceipt, type ReceiptReport } from '@countersign/client/receipt-report.js';
import {
  UsageError,
  type Command,
  type Given,
  type Outcome,
  type Surroundings,
} from '../tool/command.js';
import { GENESIS_OPTION, genesisFileOf, readText } from './given-files.js';
import { PROFILE_OPTION } from './profile.js';

export const VERIFY_RECEIPT_COMMAND: Command = {
  words: 'receipt verify',
  about: 'Check a receipt offline, and what it speaks of.',
  details: `Asks nobody. Exit code 1: something does not hold. 2: it could not be checked.`,
  arguments: [
    {
      name: 'RECEIPT',
      about: 'A file with the member `receipt` of an answer; - reads standard input.',
    },
  ],
  options: [
    GENESIS_OPTION,
    { name: 'message', value: 'FILE', about: 'The bytes that were signed.' },
    {
      name: 'signature',
      value: 'FILE|TEXT',
      about: 'The signature: raw, or written as base64, base64url or hex.',
    },
    {
      name: 'public-key',
      value: 'FILE|TEXT',
      about: 'PEM, or base64 of the key; with it the signature itself is verified.',
    },
    {
      name: 'scheme',
      value: 'SCHEME',
      about: 'Insist on this one; an HMAC scheme is said to be out of reach for all.',
      words: SIGNATURE_SCHEMES,
    },
    PROFILE_OPTION,
  ],
  examples: [
    'receipt verify receipt.json --genesis genesis.json',
    'receipt verify receipt.json --message message --signature signature --public-key key.pem',
  ],
  run: async (given, io) => verify(given, io),
};

function verify(given: Given, io: Surroundings): Outcome {
  const vault = readPinnedVault(genesisFileOf(given, io));
  const [message, signature, publicKey] = ['message', 'signature', 'public-key'].map((name) =>
    given.maybe(name),
  );
  if (publicKey !== undefined && (message === undefined || signature === undefined)) {
    throw new UsageError('--public-key goes with --message and --signature');
  }
  const scheme = given.maybe('scheme') as SignatureScheme | undefined;
  if (scheme?.startsWith('hmac_') === true && publicKey !== undefined) {
    throw new UsageError('an HMAC key has no public key');
  }
  const asked = {
    message: message === undefined ? undefined : readFile(message),
    signature: signature === undefined ? undefined : spellingsOf(signature),
    publicKey: publicKey === undefined ? undefined : readPublicKey(publicKey),
    scheme,
  };
  const report = reportOnReceipt(parseJson(readText(given.one('RECEIPT'), io)), vault, asked);
  return { value: report, text: inWords(report), code: report.faults.length === 0 ? 0 : 1 };
}

function readPublicKey(given: string): GivenPublicKey {
  const found = parsePublicKey(existsSync(given) ? readFile(given).toString('utf8') : given);
  if (found !== undefined) return found;
  throw new UsageError('--public-key is neither an Ed25519 nor an RSA public key');
}

/** The receipt has its hash, so that the right spelling is found by itself. */
function spellingsOf(given: string): Bytes[] {
  const file = existsSync(given) ? readFile(given) : undefined;
  const line = (file?.toString('latin1') ?? given).trim();
  const written = [parseBase64(line), parseBase64Url(line), parseHex(line)];
  return [file, ...written].filter((bytes) => bytes !== undefined);
}

function inWords({ faults, proven, not_proven: notProven }: ReceiptReport): string {
  const list = (title: string, sentences: readonly string[]) =>
    sentences.length === 0 ? '' : `${title}\n${sentences.map((one) => `- ${one}\n`).join('')}`;
  return faults.length === 0
    ? `The receipt holds.\n${list('Proven:', proven)}${list('Not proven:', notProven)}`
    : list('It does not hold:', faults) + list('What holds all the same:', proven);
}
