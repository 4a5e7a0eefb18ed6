/** What a change did, as the audit log's `details` tell it. */
import { timeView } from '@countersign/api/common-schema.js';
import type { FieldChange, RowChange } from '../ledger/row-changes.js';

export interface RowChangeView {
  /** E.g. `signing_policies`. */
  readonly table: string;
  readonly id: string;
  readonly change: RowChange['kind'];
  /** As the API names them. Of what was created: `to` alone. */
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

/** Times as everywhere in the API, and names of fields: everything else is as the state has it. */
function valueView(name: string, value: unknown): unknown {
  if (typeof value === 'number' && /(^at|At|Since)$/.test(name)) return timeView(value);
  if (Array.isArray(value)) return value.map((item) => valueView(name, item));
  if (typeof value !== 'object' || value === null) return value;
  // labels have names of their callers' choosing
  const nameView = name === 'labels' ? (key: string) => key : snakeCase;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [nameView(key), valueView(key, item)]),
  );
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
