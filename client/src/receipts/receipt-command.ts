/** What `countersign receipt verify` does, apart from the process around it. It asks nobody. */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseBase64, parseBase64Url, parseHex, type Bytes } from '@countersign/core/bytes.js';
import { SIGNATURE_SCHEMES, type SignatureScheme } from '@countersign/core/signature-schemes.js';
import type { CommandSurroundings } from '../commands/command-surroundings.js';
import { LocalError } from '../commands/local-error.js';
import { parseJson, readFile, readPinnedVault } from '../commands/local-files.js';
import { parsePublicKey, type GivenPublicKey } from './given-public-key.js';
import { reportOnReceipt, type ReceiptReport } from './receipt-report.js';

const USAGE = `usage: countersign receipt verify RECEIPT.json
  --genesis FILE        what \`countersign genesis\` printed on a party's machine; else GENESIS_FILE
  --message FILE        the bytes that were signed
  --signature FILE|TEXT raw, or written as base64, base64url or hex
  --public-key FILE|TEXT  PEM, or base64 of the key; with it the signature itself is verified
  --scheme SCHEME       insist on this one; an HMAC scheme is said to be out of anybody's reach
  --json                a report for programs

RECEIPT.json is the member \`receipt\` of an answer; - reads standard input.
Exit codes: 0 all that was given holds, 1 something does not hold, 2 it could not be checked.`;

const text = { type: 'string' } as const;
const OPTIONS = {
  genesis: text,
  message: text,
  signature: text,
  'public-key': text,
  scheme: text,
  json: { type: 'boolean' },
} as const;

type Values = { readonly [Name in Exclude<keyof typeof OPTIONS, 'json'>]?: string | undefined };

/** `args` follow the command's name. Returns its exit code. */
export function runReceiptVerify(
  args: readonly string[],
  genesisFile: string | undefined,
  io: CommandSurroundings,
): 0 | 1 | 2 {
  try {
    const { receiptFile, values, isJson } = parseOptions(args);
    const vault = readPinnedVault(values.genesis ?? genesisFile ?? refuse('--genesis is required'));
    const given = {
      message: values.message === undefined ? undefined : readFile(values.message),
      signature: values.signature === undefined ? undefined : spellingsOf(values.signature),
      publicKey:
        values['public-key'] === undefined ? undefined : readPublicKey(values['public-key']),
      scheme: parseScheme(values),
    };
    const file = receiptFile === '-' ? io.readStandardInput() : readFile(receiptFile);
    const report = reportOnReceipt(parseJson(file.toString('utf8')), vault, given);
    io.writeOutput(isJson ? `${JSON.stringify(report, null, 2)}\n` : inWords(report));
    return report.faults.length === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof LocalError)) throw error;
    io.writeNote(`countersign: ${error.message}\n`);
    return 2;
  }
}

function parseOptions(args: readonly string[]) {
  let parsed;
  try {
    parsed = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch {
    return refuse('an argument is unknown or incomplete');
  }
  const { values, positionals } = parsed;
  const [receiptFile, ...others] = positionals;
  if (receiptFile === undefined || others.length > 0) return refuse('one receipt is expected');
  const isWhole = values.message !== undefined && values.signature !== undefined;
  if (values['public-key'] !== undefined && !isWhole) {
    return refuse('--public-key goes with --message and --signature');
  }
  return { receiptFile, values: values satisfies Values, isJson: values.json === true };
}

function parseScheme({
  scheme: given,
  'public-key': publicKey,
}: Values): SignatureScheme | undefined {
  if (given === undefined) return undefined;
  const scheme = SIGNATURE_SCHEMES.find((one) => one === given);
  if (scheme === undefined) return refuse(`--scheme is one of ${SIGNATURE_SCHEMES.join(', ')}`);
  if (scheme.startsWith('hmac_') && publicKey !== undefined) {
    return refuse('an HMAC key has no public key');
  }
  return scheme;
}

function readPublicKey(given: string): GivenPublicKey {
  const found = parsePublicKey(existsSync(given) ? readFile(given).toString('utf8') : given);
  return found ?? refuse('--public-key is neither an Ed25519 nor an RSA public key');
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

function refuse(message: string): never {
  throw new LocalError(`${message}\n${USAGE}`);
}
