import * as s from '@countersign/core/shapes.js';
import { parseBase64, parseHex } from '@countersign/core/bytes.js';
import { SIGNATURE_SCHEMES } from '@countersign/core/signature-schemes.js';
import { dateTime, id } from './primitives.js';

const MAX_MESSAGE_BYTES = 65_536;

/** The bytes to be signed, in a request: at most 64 KiB. */
export const base64Bytes = s
  .string()
  .convert((text) => {
    const bytes = parseBase64(text);
    return bytes === undefined || bytes.length === 0 || bytes.length > MAX_MESSAGE_BYTES
      ? { message: `must be standard base64 of 1 to ${MAX_MESSAGE_BYTES} bytes` }
      : { value: bytes };
  })
  .meta({ contentEncoding: 'base64', description: 'Standard base64 of 1 to 65536 bytes.' });

export const signBody = s
  .strictObject({
    network_id: s
      .string()
      .max(64)
      .describe("The network that the transaction is for: one of the wallet's `networks`."),
    transaction: base64Bytes.describe(
      'A Solana transaction in its wire form, with the wallet among its signers: standard base64. Wallets of other families: 422, they sign by raw-sign.',
    ),
  })
  .meta({ id: 'SignRequest' });

const MESSAGE_DECODERS = {
  base64: parseBase64,
  hex: parseHex,
  utf8: (text: string): Buffer | undefined => Buffer.from(text, 'utf8'),
} as const;

const MESSAGE_TEXT = s.string().max(2 * MAX_MESSAGE_BYTES);

type MessageEncoding = keyof typeof MESSAGE_DECODERS;

const messageEncoding = s
  .words(['base64', 'hex', 'utf8'])
  .optional()
  .describe(
    'How `message` is written: standard base64, lower-case hex, or plain text; `base64` when absent.',
  );

const outputEncoding = s
  .words(['base64', 'base64url', 'hex'])
  .optional()
  .describe('How the signature is written; `base64` when absent.');

/** Undefined for one that has another spelling, or another size. */
function decodeMessage(text: string, encoding: MessageEncoding): Buffer | undefined {
  const message = MESSAGE_DECODERS[encoding](text);
  const isSized = message !== undefined && message.length <= MAX_MESSAGE_BYTES;
  return isSized && message.length > 0 ? message : undefined;
}

const wrongMessage = (path: (string | number)[], encoding: MessageEncoding) => ({
  path,
  message: `must be ${encoding} of 1 to ${MAX_MESSAGE_BYTES} bytes`,
});

/** A message in one of several spellings, and the form of its signature. */
function messageBody<Scheme extends s.Shape<string | undefined, string | undefined, boolean>>(
  scheme: Scheme,
) {
  return s
    .strictObject({
      message: MESSAGE_TEXT.describe(
        'The bytes to sign, as they are: 1 to 65536 of them, in `message_encoding`.',
      ),
      message_encoding: messageEncoding,
      scheme,
      output_encoding: outputEncoding,
    })
    .convert((body) => {
      // the compiler does not look into an object with a field of an open type
      const { message: text, message_encoding: encoding = 'base64' } = body as {
        readonly message: string;
        readonly message_encoding?: MessageEncoding;
      };
      const message = decodeMessage(text, encoding);
      return message === undefined
        ? wrongMessage(['message'], encoding)
        : { value: { ...body, message } };
    });
}

const walletScheme = s
  .words(['ed25519', 'ed25519ph'])
  .optional()
  .describe('`ed25519` when absent; `ed25519ph` is Ed25519ph of RFC 8032, with an empty context.');

export const rawSignBody = messageBody(walletScheme).meta({ id: 'RawSignRequest' });

/** Several messages in one spelling, and the form of their signatures. */
export function rawSignMessages<
  AllOrNone extends s.Shape<boolean | undefined, boolean | undefined, boolean>,
>(most: number, allOrNone: AllOrNone) {
  return s
    .strictObject({
      messages: s
        .array(MESSAGE_TEXT)
        .min(1)
        .max(most)
        .describe(
          `Up to ${most} messages, in order: the bytes to sign, 1 to 65536 each, in \`message_encoding\`.`,
        ),
      message_encoding: messageEncoding,
      scheme: walletScheme,
      output_encoding: outputEncoding,
      all_or_none: allOrNone,
    })
    .convert((body) => {
      const { messages: texts, message_encoding: encoding = 'base64' } = body as {
        readonly messages: readonly string[];
        readonly message_encoding?: MessageEncoding;
      };
      const messages: Buffer[] = [];
      for (const [index, text] of texts.entries()) {
        const message = decodeMessage(text, encoding);
        if (message === undefined) return wrongMessage(['messages', index], encoding);
        messages.push(message);
      }
      return { value: { ...body, messages } };
    });
}

export const keyRawSignBody = messageBody(
  s
    .words(SIGNATURE_SCHEMES)
    .optional()
    .describe("One of the key's type; the key's own `scheme` when absent."),
).meta({ id: 'KeyRawSignRequest' });

export const usedPrice = s
  .strictObject({
    asset: s.string().describe('Asset of the price, e.g. `BTC`.'),
    price: s.string().describe('Price of one unit in US dollars: a decimal string.'),
    at: dateTime.describe(
      'When the relay took it: time of the signed snapshot that it stands in; RFC 3339, UTC, milliseconds.',
    ),
    relay: s.string().describe('Name of the relay of prices that signed the snapshot.'),
  })
  .meta({ id: 'UsedPrice' });

export const receipt = s
  .strictObject({
    request_id: id.describe('Id of the request that was signed.'),
    key_id: id.describe('Id of the key that signed.'),
    message_sha256: s.string().meta({ description: 'SHA-256 of the signed bytes; hex.' }),
    signature_sha256: s
      .string()
      .meta({ description: "SHA-256 of the signature's raw bytes; hex." }),
    answer_sha256: s.string().meta({
      description:
        'SHA-256 of what else the lead gave to the gateway with the signature; hex. It binds the answer, and is for verifiers a value to copy.',
    }),
    policy: s
      .strictObject({
        id: id.describe('Id of the signing policy.'),
        version: s.int().describe('Version of the policy at that time.'),
        rule_id: id.describe('Id of its rule.'),
      })
      .describe('The rule that allowed it.'),
    approvals: s
      .array(
        s.strictObject({
          user_id: id.describe('Id of the user who approved.'),
          entry_hash: s
            .string()
            .describe('Hash of the ledger entry that is the approval: SHA-256, hex.'),
        }),
      )
      .describe(
        'The approvals that both parties counted, in the order in which they were given; empty where no rule asked for any.',
      ),
    prices: s
      .array(usedPrice)
      .optional()
      .describe(
        'The prices by which the partner valued it. The lead has seen the same snapshots and valued it for itself. Absent: no rule asked for its value in US dollars.',
      ),
    ledger_seq: s
      .int()
      .describe('Sequence number of the ledger entry up to which both parties decided.'),
    ledger_hash: s.string().meta({
      description: 'Hash of that entry, and with it of all before it: SHA-256, hex.',
    }),
    rules_version: s
      .int()
      .describe('Version of the rules by which the newest change up to that entry was judged.'),
    parties: s
      .array(s.int())
      .describe('Numbers of the two parties that signed, 1 to 3: the lead, then its partner.'),
    signed_at: dateTime.describe(
      "When it was signed, by the partner's clock, which the lead checked; RFC 3339, UTC, milliseconds.",
    ),
    signatures: s
      .array(
        s.strictObject({
          party: s.int().describe('Number of the party, 1 to 3.'),
          leaf_index: s
            .int()
            .describe(
              'Place of this receipt among the leaves of the tree that the party signed, from 0.',
            ),
          tree_size: s.int().describe('Number of leaves of that tree.'),
          inclusion_path: s
            .array(s.string().meta({ description: 'Hash of a neighbouring node: SHA-256, hex.' }))
            .describe('From this leaf up to the root of the tree, as RFC 9162 has it.'),
          signature: s
            .string()
            .describe(
              "Ed25519 signature by the party's identity key over the root, 64 bytes, base64.",
            ),
        }),
      )
      .describe(
        'In the order of `parties`. Each party signs one tree (RFC 9162) for all receipts of a batch; together they cover everything in the receipt.',
      ),
  })
  .meta({ id: 'Receipt' });

export type ReceiptView = s.InputOf<typeof receipt>;

export const signature = s.string().meta({ description: 'Ed25519 signature, 64 bytes, base64.' });

export const signResult = s
  .strictObject({
    signature: signature.describe(
      "The wallet's Ed25519 signature of the transaction's message, 64 bytes, base64.",
    ),
    signed_transaction: s
      .string()
      .optional()
      .describe(
        'The transaction with the signature in its place: wire form, base64. In this release never absent.',
      ),
    receipt: receipt.describe('Proof of who signed what, and under which rule.'),
  })
  .meta({ id: 'SignResult' });

export const rawSignResult = s
  .strictObject({
    signature: s.string().describe('In `output_encoding`: Ed25519 signature, 64 bytes.'),
    public_key: s.string().describe("The wallet's Ed25519 public key, 32 bytes, base64."),
    receipt: receipt.describe('Proof of who signed what, and under which rule.'),
  })
  .meta({ id: 'RawSignResult' });

export const keyRawSignResult = s
  .strictObject({
    signature: s
      .string()
      .describe(
        'In `output_encoding`. Ed25519: 64 bytes; RSA: as long as the modulus; HMAC: as long as the hash.',
      ),
    receipt: receipt.describe('Proof of who signed what, and under which rule.'),
  })
  .meta({ id: 'KeyRawSignResult' });
