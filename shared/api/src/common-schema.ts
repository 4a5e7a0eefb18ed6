import * as s from '@countersign/core/shapes.js';
import type { ErrType } from '@countersign/core/errors.js';
import { ERR_STATUS } from '@countersign/core/err-status.js';
import { dateTime, id } from './primitives.js';

export const retryAfterS = s
  .int()
  .optional()
  .describe(
    'Where a limit over time was reached: seconds before which it has no room for the same again.',
  );

export const errorBody = s
  .strictObject({
    err_type: s
      .words(Object.keys(ERR_STATUS) as [ErrType, ...ErrType[]])
      .describe('The kind of error, for programs; each goes with one HTTP status.'),
    err_msg: s.string().describe('The error, for people.'),
    retry_after_s: retryAfterS,
  })
  .meta({ id: 'Error' });

export const processingStatus = s
  .strictObject({
    status: s.literal('processing').describe('Always `processing`.'),
    request_id: id.describe(
      'Id of the request: `GET /v1/requests/{request_id}` tells what it comes to.',
    ),
    phase: s
      .literal('awaiting_approval')
      .optional()
      .describe('`awaiting_approval`: it waits for people. Absent: it is under way.'),
    approvals: s
      .strictObject({
        required: s.int().describe('Number of approvals that are needed.'),
        given: s.array(id).describe('Ids of the users who approved, in order.'),
      })
      .optional()
      .describe('With `awaiting_approval`: the approvals that it needs and has; absent otherwise.'),
  })
  .meta({ id: 'ProcessingStatus' });

export function pageOf<Item extends s.AnyShape>(
  name: string,
  item: Item,
  order = 'The results in order of creation, oldest first.',
) {
  return s
    .strictObject({
      results: s.array(item).describe(order),
      next_cursor: s
        .string()
        .nullable()
        .describe('What to pass as `cursor` for the next page; opaque. Null on the last page.'),
    })
    .meta({ id: name });
}

export const stampFields = {
  created_at: dateTime.describe(
    'When the entry that made it was appended to the ledger; RFC 3339, UTC, milliseconds.',
  ),
  created_by: s
    .string()
    .describe('Id of the user who made it; `genesis` for what the first start made.'),
  last_updated_at: dateTime.describe(
    'When it was last updated; of keys and wallets at first when they became active. RFC 3339, UTC, milliseconds.',
  ),
  last_updated_by: s.string().describe('Id of the user who last updated it; as `created_by`.'),
};

/** RFC 3339, UTC, milliseconds. */
export function timeView(ms: number): string {
  return new Date(ms).toISOString();
}

export const publicKey = s
  .strictObject({
    pem: s.string().describe('SubjectPublicKeyInfo (RFC 5280), PEM.'),
    raw: s.string().meta({
      description: 'Base64. Ed25519: 32 bytes. RSA: RSAPublicKey (RFC 8017), DER.',
    }),
  })
  .meta({ id: 'PublicKey' });

export const deletedView = s
  .strictObject({
    deleted: s.array(s.string()).describe('Ids of what was deleted; of wallets the addresses.'),
  })
  .meta({ id: 'Deleted' });
