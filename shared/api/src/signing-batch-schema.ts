/** Several signatures in one request: the items of a batch, and what becomes of each. */
import { MAX_BATCH_ITEMS } from '@countersign/core/batch-item.js';
import * as s from '@countersign/core/shapes.js';
import { retryAfterS } from './common-schema.js';
import { id } from './primitives.js';
import {
  base64Bytes,
  rawSignMessages,
  rawSignResult,
  signBody,
  signResult,
} from './signing-schema.js';
import { venueRequest, venueSignResult } from './venue-schema.js';

const itemsOf = <Item extends s.AnyShape>(item: Item) => s.array(item).min(1).max(MAX_BATCH_ITEMS);

const allOrNone = s
  .boolean()
  .optional()
  .describe(
    '`true`: where one item is denied, all are. Absent or `false`: a denial of one holds no other.',
  );

export const signBatchBody = s
  .strictObject({
    network_id: signBody.fields.network_id,
    transactions: itemsOf(base64Bytes).describe(
      'Up to 64 transactions, in order, each as `transaction` of `sign`.',
    ),
    all_or_none: allOrNone,
  })
  .meta({ id: 'SignBatchRequest' });

export const rawSignBatchBody = rawSignMessages(MAX_BATCH_ITEMS, allOrNone).meta({
  id: 'RawSignBatchRequest',
});

export const venueSignBatchBody = s
  .strictObject({
    venue_requests: itemsOf(venueRequest).describe(
      'Up to 64 requests to the venue of the key, in order. Where the venue wants rising numbers, they rise in this order.',
    ),
    all_or_none: allOrNone,
  })
  .meta({ id: 'VenueSignBatchRequest' });

const place = {
  item_id: id.describe(
    'Id of the item: its receipt, its audit rows and `GET /v1/requests/{request_id}` have it. It follows from the id of the request and `index`.',
  ),
  index: s.int().describe('Place in the request, from 0.'),
};

const refusal = {
  err_type: s.string().describe('As in an Error.'),
  err_msg: s.string().describe('Why, for people.'),
  retry_after_s: retryAfterS,
};

const status = <Word extends string>(word: Word) =>
  s.literal(word).describe('What became of the item.');

function batchResult<Fields extends s.Fields>(name: string, one: s.ObjectShape<Fields>) {
  const result = s.discriminatedUnion('status', [
    s.strictObject({ ...place, status: status('signed'), ...one.fields }),
    s.strictObject({ ...place, status: status('denied'), ...refusal }),
    s.strictObject({ ...place, status: status('failed'), ...refusal }),
  ]);
  return s
    .strictObject({
      request_id: id.describe('Id of the request as a whole.'),
      results: s
        .array(result)
        .describe(
          'One for each item, in the order of the request. `signed`: with what the answer for a single one has. `denied`: by a rule, a freeze or a party. `failed`: not signed in its time.',
        ),
    })
    .meta({ id: name });
}

export const signBatchResult = batchResult('SignBatchResult', signResult);
export const rawSignBatchResult = batchResult('RawSignBatchResult', rawSignResult);
export const venueSignBatchResult = batchResult('VenueSignBatchResult', venueSignResult);
