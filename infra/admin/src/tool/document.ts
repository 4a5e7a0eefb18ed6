/** Files of YAML or JSON that people write, read by a shape of the contract: faults are told with their line. */
import type { AnyShape, Issue, Path } from '@countersign/core/shapes.js';
import { isRefusal } from '@countersign/core/errors.js';
import { validate } from '@countersign/api/validate.js';
import { LineCounter, parseDocument, type Document } from 'yaml';
import { UsageError } from './command.js';

export interface ReadDocument {
  readonly value: unknown;
  /** Throws UsageError with file and line where the value, or what is made of it, has another shape. */
  check(shape: AnyShape, value?: unknown): void;
}

/** Throws UsageError, with the line. */
export function readDocument(file: string, text: string): ReadDocument {
  const lines = new LineCounter();
  // numbers and dates as JSON has them; an alias could make much of little
  const document = parseDocument(text, { lineCounter: lines, schema: 'core', version: '1.2' });
  const [fault] = document.errors;
  if (fault !== undefined) {
    const [what] = fault.message.split(' at line ');
    throw new UsageError(`${file}: line ${fault.linePos?.[0].line ?? 1}: ${what}`);
  }
  const whole = valueOf(file, document);
  return {
    value: whole,
    check(shape, value = whole) {
      const read = shape.read(value);
      if (!('issues' in read)) return;
      const refusal = validate(shape, value);
      const text = isRefusal(refusal) ? refusal.message : 'has another form';
      throw new UsageError(`${file}: line ${lineOf(document, lines, read.issues)}: ${text}`);
    },
  };
}

function valueOf(file: string, document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw new UsageError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Of the nearest part of the document that has the fault. */
function lineOf(document: Document, lines: LineCounter, issues: readonly Issue[]): number {
  const { path, keys = [] } = issues.find((issue) => issue.code === 'keys') ?? issues[0]!;
  return lines.linePos(placeOf(document, [...path, ...keys.slice(0, 1)])).line;
}

function placeOf(document: Document, path: Path): number {
  for (let length = path.length; length > 0; length--) {
    const parent = document.getIn(path.slice(0, length - 1), true) ?? document.contents;
    const range = keyRange(parent, path[length - 1]!);
    if (range !== undefined) return range;
  }
  return (document.contents as Ranged | null)?.range?.[0] ?? 0;
}

interface Ranged {
  readonly range?: readonly number[] | null;
}

/** Where a field's name, or an item of a list, begins. */
function keyRange(parent: unknown, step: string | number): number | undefined {
  const { items = [] } = parent as { items?: readonly unknown[] };
  const found =
    typeof step === 'number'
      ? items[step]
      : (items as readonly { key?: Ranged & { value?: unknown } }[]).find(
          ({ key }) => key?.value === step,
        )?.key;
  return (found as Ranged | undefined)?.range?.[0];
}
