import * as s from '@countersign/core/shapes.js';
import type { VenueRequest } from '@countersign/venues/engine/venue.js';
import { receipt } from './signing-schema.js';

const MAX_TARGET_LENGTH = 8_192;
const MAX_BODY_LENGTH = 65_536;

/** The request that the caller wants sent. The vault itself adds clock, nonce, headers and signature. */
export const venueRequest = s
  .strictObject({
    method: s.string().min(1).max(64).meta({
      description: "HTTP method; for `ws` and `fix` the venue's name of the operation.",
    }),
    path: s
      .string()
      .max(MAX_TARGET_LENGTH)
      .optional()
      .describe('Raw, with its leading `/` and without query; `rest` alone.'),
    query: s.string().max(MAX_TARGET_LENGTH).optional().meta({
      description:
        'Raw, without `?`, in the order in which it is sent; `rest` alone. Absent: none.',
    }),
    body: s
      .string()
      .max(MAX_BODY_LENGTH)
      .optional()
      .meta({ description: 'Raw text, as sent. Absent: none.' }),
    channel: s
      .words(['rest', 'ws', 'fix'])
      .describe('How the request goes to the venue; 422 where the vault cannot sign for it.'),
  })
  .transform((request): VenueRequest => ({
    method: request.method,
    path: request.path ?? '',
    query: request.query ?? '',
    body: request.body ?? '',
    channel: request.channel,
  }));

export const venueSignBody = s
  .strictObject({
    venue_request: venueRequest.describe(
      'What is to be sent to the venue of the key, without clock, nonce, credentials and signature: the vault adds those.',
    ),
  })
  .meta({ id: 'VenueSignRequest' });

export const venueSignResult = s
  .strictObject({
    request: s
      .strictObject({
        method: s.string().describe('Method, as in the request.'),
        path: s.string().describe('Empty where the channel has none.'),
        query: s.string().describe('Raw, without `?`; empty for none.'),
        headers: s
          .record(s.string(), s.string())
          .describe(
            'Name to value: API key, signature and what else the venue wants. Empty where the channel has none.',
          ),
        body: s.string().describe('Raw text; empty for none.'),
      })
      .describe('The complete signed request: to be sent as it is, without any change.'),
    operation_class: s
      .string()
      .describe(
        'What the request does at the venue, e.g. `trade`: the class that policy looked at.',
      ),
    binds: s
      .array(s.string())
      .describe(
        "What the venue's signature covers: `method`, `host`, `path`, `query`, `body`, `time`, `nonce`; `session`: a login, so nothing of what follows it.",
      ),
    receipt: receipt.describe('Proof of who signed what, and under which rule.'),
  })
  .meta({ id: 'VenueSignResult' });
