import { z } from 'zod';
import { parseBase64, parseHex } from '@countersign/core/bytes.js';
import { SIGNATURE_SCHEMES } from '@countersign/core/signature-schemes.js';
import { dateTime, id } from './primitives.js';

const MAX_MESSAGE_BYTES = 65_536;

const base64Bytes = z
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
  .meta({ contentEncoding: 'base64' });

export const signBody = z
  .strictObject({ network_id: z.string().max(64), transaction: base64Bytes })
  .meta({ id: 'SignRequest' });

export const rawSignBody = z
  .strictObject({ message: base64Bytes, scheme: z.enum(['ed25519', 'ed25519ph']).optional() })
  .meta({ id: 'RawSignRequest' });

const MESSAGE_DECODERS = {
  base64: parseBase64,
  hex: parseHex,
  utf8: (text: string): Buffer | undefined => Buffer.from(text, 'utf8'),
} as const;

export const keyRawSignBody = z
  .strictObject({
    message: z.string().max(2 * MAX_MESSAGE_BYTES),
    message_encoding: z.enum(['base64', 'hex', 'utf8']),
    scheme: z.enum(SIGNATURE_SCHEMES).optional(),
    output_encoding: z.enum(['base64', 'base64url', 'hex']).optional(),
  })
  .transform((body, context) => {
    const message = MESSAGE_DECODERS[body.message_encoding](body.message);
    if (message === undefined || message.length === 0 || message.length > MAX_MESSAGE_BYTES) {
      context.addIssue({
        code: 'custom',
        path: ['message'],
        message: `must be ${body.message_encoding} of 1 to ${MAX_MESSAGE_BYTES} bytes`,
      });
      return z.NEVER;
    }
    return { ...body, message };
  })
  .meta({ id: 'KeyRawSignRequest' });

export const receipt = z
  .strictObject({
    request_id: id,
    key_id: id,
    message_sha256: z.string().meta({ description: 'Hex.' }),
    policy: z.strictObject({ id, version: z.int(), rule_id: id }),
    approvals: z.array(z.string()),
    ledger_seq: z.int(),
    parties: z.array(z.int()),
    signed_at: dateTime,
    signatures: z.array(z.strictObject({ party: z.int(), signature: z.string() })),
  })
  .meta({ id: 'Receipt' });

export type ReceiptView = z.input<typeof receipt>;

export const signature = z.string().meta({ description: 'Ed25519 signature, 64 bytes, base64.' });

export const signResult = z
  .strictObject({ signature, signed_transaction: z.string().optional(), receipt })
  .meta({ id: 'SignResult' });

export const rawSignResult = z
  .strictObject({ signature, public_key: z.string(), receipt })
  .meta({ id: 'RawSignResult' });

export const keyRawSignResult = z
  .strictObject({ signature: z.string(), receipt })
  .meta({ id: 'KeyRawSignResult' });
