/** What a receipt proves of what somebody holds beside it, and what it does not: in words, and for programs. */
import type { ReceiptView } from '@countersign/api/signing-schema.js';
import { toHex, type Bytes } from '@countersign/core/bytes.js';
import { sha256 } from '@countersign/core/hash.js';
import { SCHEMES_BY_KEY_TYPE, type SignatureScheme } from '@countersign/core/signature-schemes.js';
import { verifySignature } from '@countersign/core/verify-signature.js';
import type { PinnedVault } from '../answers/pinned-vault.js';
import type { GivenPublicKey } from './given-public-key.js';
import { findFaultOfReceipt } from './verify-receipt.js';

export interface GivenBeside {
  readonly message?: Bytes | undefined;
  /** What the text or file that was given may stand for, in whichever spelling. */
  readonly signature?: readonly Bytes[] | undefined;
  readonly publicKey?: GivenPublicKey | undefined;
  /** Any of the public key's type when absent. */
  readonly scheme?: SignatureScheme | undefined;
}

type Verdict = 'holds' | 'does_not_hold' | 'not_checked';

export interface ReceiptReport {
  readonly checks: {
    readonly receipt: Verdict;
    readonly message: Verdict;
    /** Its hash. */
    readonly signature: Verdict;
    /** The signature itself, by the public key. */
    readonly public_key: Verdict;
  };
  /** By which the signature was verified. */
  readonly scheme: SignatureScheme | null;
  readonly faults: readonly string[];
  readonly proven: readonly string[];
  readonly not_proven: readonly string[];
}

/** What came of one check, and the one sentence to be said of it. */
interface Finding {
  readonly verdict: Verdict;
  readonly sentence: string;
}

const NOTHING = {
  message: 'not_checked',
  signature: 'not_checked',
  public_key: 'not_checked',
} as const;

export function reportOnReceipt(
  value: unknown,
  vault: PinnedVault,
  given: GivenBeside,
): ReceiptReport {
  const fault = findFaultOfReceipt(value, vault);
  if (fault !== undefined) {
    const checks = { receipt: 'does_not_hold', ...NOTHING } as const;
    const faults = [`the receipt ${fault}`];
    return { checks, scheme: null, faults, proven: [], not_proven: [] };
  }
  const view = value as ReceiptView;
  const [message, signature] = [checkMessage(view, given), checkSignature(view, given)];
  const { scheme, ...publicKey } = checkPublicKey(view, given);
  const findings = [message, signature, publicKey];
  const said = (verdict: Verdict) =>
    findings.filter((one) => one.verdict === verdict).map(({ sentence }) => sentence);
  return {
    checks: {
      receipt: 'holds',
      message: message.verdict,
      signature: signature.verdict,
      public_key: publicKey.verdict,
    },
    scheme: scheme ?? null,
    faults: said('does_not_hold'),
    proven: [...partiesSaid(view), ...said('holds')],
    not_proven: [...said('not_checked'), ...neverProven(view, given)],
  };
}

function partiesSaid(view: ReceiptView): string[] {
  const { policy } = view;
  const [lead, partner] = view.parties;
  return [
    `parties ${lead} and ${partner} of the pinned vault each signed this receipt: for request ${view.request_id} ` +
      `key ${view.key_id} was used on bytes with SHA-256 ${view.message_sha256}, at ${view.signed_at}, ` +
      `allowed by rule ${policy.rule_id} of version ${policy.version} of signing policy ${policy.id}, ` +
      `over ledger entry ${view.ledger_seq} with hash ${view.ledger_hash}`,
    ...view.approvals.map(
      ({ user_id: user, entry_hash: hash }) =>
        `both counted the approval of user ${user}, which is ledger entry ${hash}`,
    ),
    ...(view.prices ?? []).map(
      ({ asset, price, at, relay }) =>
        `it was valued at ${price} USD for one ${asset}, by the prices that relay ${relay} took at ${at}`,
    ),
    `party ${lead}, which led, signed that the signature has SHA-256 ${view.signature_sha256}`,
  ];
}

function neverProven(view: ReceiptView, { publicKey }: GivenBeside): string[] {
  return [
    ...(publicKey === undefined
      ? []
      : [
          `that the public key is that of key ${view.key_id}: a receipt names a key by its id, the ledger says which public key it has`,
        ]),
    `that the rule was in force at ledger entry ${view.ledger_seq}: this is the two parties' word, and an export of the audit log proves it (countersign audit verify)`,
    "what answer_sha256 is of: it binds the gateway's answer, and cannot be checked here",
  ];
}

function checkMessage(view: ReceiptView, { message }: GivenBeside): Finding {
  if (message === undefined) {
    return { verdict: 'not_checked', sentence: 'which bytes were signed: no message was given' };
  }
  return toHex(sha256(message)) === view.message_sha256
    ? { verdict: 'holds', sentence: 'the message is the one that was signed' }
    : { verdict: 'does_not_hold', sentence: 'another message was signed' };
}

function checkSignature(view: ReceiptView, { signature }: GivenBeside): Finding {
  if (signature === undefined) {
    return { verdict: 'not_checked', sentence: 'which signature was made: none was given' };
  }
  return spellingOf(view, signature) !== undefined
    ? { verdict: 'holds', sentence: 'the signature is the one that the lead signed for' }
    : {
        verdict: 'does_not_hold',
        sentence: 'the signature is not the one that the lead signed for',
      };
}

/** The one of which the receipt has the hash. */
function spellingOf(view: ReceiptView, signature: readonly Bytes[]): Bytes | undefined {
  return signature.find((bytes) => toHex(sha256(bytes)) === view.signature_sha256);
}

function checkPublicKey(
  view: ReceiptView,
  { message, signature, publicKey, scheme }: GivenBeside,
): Finding & { readonly scheme?: SignatureScheme | undefined } {
  if (scheme?.startsWith('hmac_') === true) {
    const sentence =
      'that the signature is right: it is an HMAC, which nobody can check who does not hold the secret; hashes alone were compared';
    return { verdict: 'not_checked', sentence };
  }
  if (message === undefined || signature === undefined || publicKey === undefined) {
    const sentence =
      'that the signature verifies: that takes the message, the signature and the public key (of an HMAC key there is none, and nobody can check it who does not hold the secret)';
    return { verdict: 'not_checked', sentence };
  }
  const bytes = spellingOf(view, signature) ?? new Uint8Array();
  const schemes = scheme === undefined ? SCHEMES_BY_KEY_TYPE[publicKey.type] : [scheme];
  const found = schemes.find((one) => verifySignature(one, publicKey.bytes, message, bytes));
  return found === undefined
    ? {
        verdict: 'does_not_hold',
        sentence: 'the signature does not verify under the public key for the message',
      }
    : {
        verdict: 'holds',
        scheme: found,
        sentence: `the signature verifies under the public key for the message (${found})`,
      };
}
