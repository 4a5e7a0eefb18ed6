import { z } from 'zod';
import type { VenueRequest } from '@countersign/venues/engine/venue.js';
import { receipt } from './signing-schema.js';

const MAX_TARGET_LENGTH = 8_192;
const MAX_BODY_LENGTH = 65_536;

/** What the caller wants sent. The vault adds clock, nonce, headers and signature itself. */
export const venueRequest = z
  .strictObject({
    method: z.string().min(1).max(64).meta({
      description: "HTTP method; for `ws` and `fix` the venue's name of the operation.",
    }),
    path: z.string().max(MAX_TARGET_LENGTH).optional(),
    query: z
      .string()
      .max(MAX_TARGET_LENGTH)
      .optional()
      .meta({ description: 'Raw, without `?`, in the order in which it is sent.' }),
    body: z.string().max(MAX_BODY_LENGTH).optional().meta({ description: 'Raw text, as sent.' }),
    channel: z.enum(['rest', 'ws', 'fix']),
  })
  .transform((request): VenueRequest => ({
    method: request.method,
    path: request.path ?? '',
    query: request.query ?? '',
    body: request.body ?? '',
    channel: request.channel,
  }));

export const venueSignBody = z
  .strictObject({ venue_request: venueRequest })
  .meta({ id: 'VenueSignRequest' });

export const venueSignResult = z
  .strictObject({
    request: z.strictObject({
      method: z.string(),
      path: z.string(),
      query: z.string(),
      headers: z.record(z.string(), z.string()),
      body: z.string(),
    }),
    operation_class: z.string(),
    binds: z.array(z.string()),
    receipt,
  })
  .meta({ id: 'VenueSignResult' });
