import type { Refusal } from '@countersign/core/errors.js';
import type { Map } from 'immutable';
import { versionKey } from '../state/table-indexes.js';
import { noSuchResource } from './lookups.js';

/** A row as it was at a version, even if it is gone since, or 404. */
export function findVersion<Row>(
  { indexes }: { readonly indexes: { readonly byVersion: Map<string, Row> } },
  id = '',
  version = '',
): Row | Refusal {
  const isNumber = /^[1-9][0-9]{0,14}$/.test(version);
  const row = isNumber ? indexes.byVersion.get(versionKey(id, Number(version))) : undefined;
  return row ?? noSuchResource(id);
}
