/** What a change did, as the audit log's `details` tell it. */
import { timeView } from '@countersign/api/common-schema.js';
import type { FieldChange, RowChange } from '../ledger/entry-outcome.js';

export interface RowChangeView {
  /** E.g. `signing_policies`. */
  readonly table: string;
  readonly id: string;
  readonly change: RowChange['kind'];
  /** Names as in the API. A row that was created has `to` alone. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

export function rowChangeView({ table, id, kind, fields }: RowChange): RowChangeView {
  const views = Object.entries(fields).map(([name, change]) => [
    snakeCase(name.replace(/Sha256$/, '')),
    fieldView(name, change),
  ]);
  return {
    table: snakeCase(table),
    id,
    change: kind,
    ...(views.length > 0 && { fields: Object.fromEntries(views) as Record<string, unknown> }),
  };
}

function fieldView(name: string, change: FieldChange): unknown {
  if (change === 'withheld') return change;
  return Object.fromEntries(
    Object.entries(change).map(([side, value]) => [side, valueView(name, value)]),
  );
}

/** Writes times and field names as the API does, and leaves everything else as the state has it. */
function valueView(name: string, value: unknown): unknown {
  if (typeof value === 'number' && /(^at|At|Since)$/.test(name)) return timeView(value);
  if (Array.isArray(value)) return value.map((item) => valueView(name, item));
  if (typeof value !== 'object' || value === null) return value;
  // callers choose the names of labels
  const nameView = name === 'labels' ? (key: string) => key : snakeCase;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [nameView(key), valueView(key, item)]),
  );
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
