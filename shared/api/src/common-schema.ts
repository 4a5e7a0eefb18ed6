import { z } from 'zod';
import { ERR_STATUS, type ErrType } from '@countersign/core/errors.js';
import { dateTime, id } from './primitives.js';

export const errorBody = z
  .strictObject({
    err_type: z.enum(Object.keys(ERR_STATUS) as [ErrType, ...ErrType[]]),
    err_msg: z.string(),
  })
  .meta({ id: 'Error' });

export const processingStatus = z
  .strictObject({ status: z.literal('processing'), request_id: id })
  .meta({ id: 'ProcessingStatus' });

export function pageOf<Item extends z.ZodType>(name: string, item: Item) {
  return z
    .strictObject({ results: z.array(item), next_cursor: z.string().nullable() })
    .meta({ id: name });
}

export const stampFields = {
  created_at: dateTime,
  created_by: z.string(),
  last_updated_at: dateTime,
  last_updated_by: z.string(),
};

/** RFC 3339, UTC, milliseconds. */
export function timeView(ms: number): string {
  return new Date(ms).toISOString();
}

export const freezeBody = z
  .strictObject({ reason: z.string().max(512).optional() })
  .meta({ id: 'FreezeRequest' });

export const deletedView = z.strictObject({ deleted: z.array(z.string()) }).meta({ id: 'Deleted' });

/** Ids of what a freeze or unfreeze now holds for. */
export const freezeView = z
  .strictObject({ status: z.enum(['frozen', 'active']), ids: z.array(z.string()) })
  .meta({ id: 'FreezeResult' });
