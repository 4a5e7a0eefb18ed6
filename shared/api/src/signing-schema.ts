import { z } from 'zod';
import { parseBase64, parseHex } from '@countersign/core/bytes.js';
import { SIGNATURE_SCHEMES } from '@countersign/core/signature-schemes.js';
import { dateTime, id } from './primitives.js';

const MAX_MESSAGE_BYTES = 65_536;

/** What is signed, as requests carry it: at most 64 KiB. */
export const base64Bytes = z
  .string()
  .transform((text, context) => {
    const bytes = parseBase64(text);
    if (bytes === undefined || bytes.length === 0 || bytes.length > MAX_MESSAGE_BYTES) {
      context.addIssue({
        code: 'custom',
        message: `must be standard base64 of 1 to ${MAX_MESSAGE_BYTES} bytes`,
      });
      return z.NEVER;
    }
    return bytes;
  })
  .meta({ contentEncoding: 'base64', description: 'Standard base64 of 1 to 65536 bytes.' });

export const signBody = z
  .strictObject({
    network_id: z
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

/** A message in one of several spellings, and what its signature is to be. */
function messageBody<Scheme extends z.ZodType<string | undefined>>(scheme: Scheme) {
  return z
    .strictObject({
      message: z
        .string()
        .max(2 * MAX_MESSAGE_BYTES)
        .describe('The bytes to sign, as they are: 1 to 65536 of them, in `message_encoding`.'),
      message_encoding: z
        .enum(['base64', 'hex', 'utf8'])
        .optional()
        .describe(
          'How `message` is written: standard base64, lower-case hex, or plain text; `base64` when absent.',
        ),
      scheme,
      output_encoding: z
        .enum(['base64', 'base64url', 'hex'])
        .optional()
        .describe('How the signature is written; `base64` when absent.'),
    })
    .transform((body, context) => {
      const encoding = body.message_encoding ?? 'base64';
      const message = MESSAGE_DECODERS[encoding](body.message);
      if (message === undefined || message.length === 0 || message.length > MAX_MESSAGE_BYTES) {
        context.addIssue({
          code: 'custom',
          path: ['message'],
          message: `must be ${encoding} of 1 to ${MAX_MESSAGE_BYTES} bytes`,
        });
        return z.NEVER;
      }
      return { ...body, message };
    });
}

export const rawSignBody = messageBody(
  z
    .enum(['ed25519', 'ed25519ph'])
    .optional()
    .describe(
      '`ed25519` when absent; `ed25519ph` is Ed25519ph of RFC 8032, with an empty context.',
    ),
).meta({ id: 'RawSignRequest' });

export const keyRawSignBody = messageBody(
  z
    .enum(SIGNATURE_SCHEMES)
    .optional()
    .describe("One of the key's type; the key's own `scheme` when absent."),
).meta({ id: 'KeyRawSignRequest' });

export const usedPrice = z
  .strictObject({
    asset: z.string().describe('What it is the price of, e.g. `BTC`.'),
    price: z.string().describe('Of one, in US dollars: a decimal string.'),
    at: dateTime.describe(
      'When the relay took it: time of the signed snapshot that it stands in; RFC 3339, UTC, milliseconds.',
    ),
    relay: z.string().describe('Name of the relay of prices that signed the snapshot.'),
  })
  .meta({ id: 'UsedPrice' });

export const receipt = z
  .strictObject({
    request_id: id.describe('Id of the request that was signed.'),
    key_id: id.describe('Id of the key that signed.'),
    message_sha256: z.string().meta({ description: 'SHA-256 of the signed bytes; hex.' }),
    signature_sha256: z
      .string()
      .meta({ description: "SHA-256 of the signature's raw bytes; hex." }),
    answer_sha256: z.string().meta({
      description:
        'SHA-256 of what else the lead gave to the gateway with the signature; hex. It binds the answer, and is for verifiers a value to copy.',
    }),
    policy: z
      .strictObject({
        id: id.describe('Id of the signing policy.'),
        version: z.int().describe('Its version at that time.'),
        rule_id: id.describe('Id of its rule.'),
      })
      .describe('The rule that allowed it.'),
    approvals: z
      .array(
        z.strictObject({
          user_id: id.describe('Id of the user who approved.'),
          entry_hash: z
            .string()
            .describe('Hash of the ledger entry that is the approval: SHA-256, hex.'),
        }),
      )
      .describe(
        'The approvals that both parties counted, in the order in which they were given; empty where no rule asked for any.',
      ),
    prices: z
      .array(usedPrice)
      .optional()
      .describe(
        'The prices by which the partner valued it; the lead has seen the same snapshots and valued it for itself, too. Absent: no rule asked for its value in US dollars.',
      ),
    ledger_seq: z
      .int()
      .describe('Sequence number of the ledger entry up to which both parties decided.'),
    ledger_hash: z.string().meta({
      description: 'Hash of that entry, and with it of all before it: SHA-256, hex.',
    }),
    rules_version: z
      .int()
      .describe('Version of the rules by which the newest change up to that entry was judged.'),
    parties: z
      .array(z.int())
      .describe('Numbers of the two parties that signed, 1 to 3: the lead, then its partner.'),
    signed_at: dateTime.describe(
      "When it was signed, by the partner's clock, which the lead checked; RFC 3339, UTC, milliseconds.",
    ),
    signatures: z
      .array(
        z.strictObject({
          party: z.int().describe('Number of the party, 1 to 3.'),
          leaf_index: z
            .int()
            .describe(
              'Place of this receipt among the leaves of the tree that the party signed, from 0.',
            ),
          tree_size: z.int().describe('How many leaves that tree has.'),
          inclusion_path: z
            .array(z.string().meta({ description: 'Hash of a neighbouring node: SHA-256, hex.' }))
            .describe('From this leaf up to the root of the tree, as RFC 9162 has it.'),
          signature: z
            .string()
            .describe(
              "By the party's identity key, over the root: Ed25519 signature, 64 bytes, base64.",
            ),
        }),
      )
      .describe(
        'In the order of `parties`. Each party signs one tree (RFC 9162) for all receipts of a batch; together they cover everything in the receipt.',
      ),
  })
  .meta({ id: 'Receipt' });

export type ReceiptView = z.input<typeof receipt>;

export const signature = z.string().meta({ description: 'Ed25519 signature, 64 bytes, base64.' });

export const signResult = z
  .strictObject({
    signature: signature.describe(
      "The wallet's Ed25519 signature of the transaction's message, 64 bytes, base64.",
    ),
    signed_transaction: z
      .string()
      .optional()
      .describe(
        'The transaction with the signature in its place: wire form, base64. In this release never absent.',
      ),
    receipt: receipt.describe('Who signed what, and under which rule.'),
  })
  .meta({ id: 'SignResult' });

export const rawSignResult = z
  .strictObject({
    signature: z.string().describe('In `output_encoding`: Ed25519 signature, 64 bytes.'),
    public_key: z.string().describe("The wallet's Ed25519 public key, 32 bytes, base64."),
    receipt: receipt.describe('Who signed what, and under which rule.'),
  })
  .meta({ id: 'RawSignResult' });

export const keyRawSignResult = z
  .strictObject({
    signature: z
      .string()
      .describe(
        'In `output_encoding`. Ed25519: 64 bytes; RSA: as long as the modulus; HMAC: as long as the hash.',
      ),
    receipt: receipt.describe('Who signed what, and under which rule.'),
  })
  .meta({ id: 'KeyRawSignResult' });
