/** What people read of an answer: a table for a list, otherwise YAML. */
import { stringify } from 'yaml';

/** What a service or a file says may not move a cursor or forge a line. */
export function printable(text: string): string {
  return text.replaceAll(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
}

export function yamlOf(value: unknown): string {
  return printable(stringify(value, { lineWidth: 0 }));
}

/** The same value for a program; a terminal obeys nothing in it. */
export function jsonOf(value: unknown): string {
  const json = JSON.stringify(value, null, 2);
  return `${json.replaceAll(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escapeUnits)}\n`;
}

function escapeUnits(character: string): string {
  const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
  return units.map((unit) => `\\u${unit}`).join('');
}

type Row = Readonly<Record<string, unknown>>;

/** Columns as wide as their widest cell; a name in upper case above each. */
export function tableOf(rows: readonly Row[], columns: readonly string[]): string {
  const cells = [
    columns.map((name) => name.toUpperCase()),
    ...rows.map((row) => columns.map((name) => cellOf(row[name]))),
  ];
  const widths = columns.map((_, at) => Math.max(...cells.map((row) => row[at]!.length)));
  const lines = cells.map((row) => row.map((cell, at) => cell.padEnd(widths[at]!)).join('  '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '-';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return printable(text.replaceAll('\n', ' '));
}
