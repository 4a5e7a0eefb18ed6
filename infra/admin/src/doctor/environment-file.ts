/** An environment file, as systemd reads it (`EnvironmentFile=`): `NAME=value`, comments behind `#` or `;`. */
import { readFileSync } from 'node:fs';
import { fault, warning, type Finding } from './finding.js';

export interface ReadEnvironment {
  readonly values: Readonly<Record<string, string>>;
  /** What is wrong with the lines. Their contents are never told: they may be secrets. */
  readonly findings: readonly Finding[];
}

/** Throws where the file cannot be read. */
export function readEnvironmentFile(path: string): ReadEnvironment {
  return parseEnvironment(readFileSync(path, 'utf8'), path);
}

/** `path`: for what is found. */
export function parseEnvironment(text: string, path: string): ReadEnvironment {
  const values: Record<string, string> = {};
  const findings: Finding[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*([#;].*)?$/.test(line)) continue;
    const about = `${path}, line ${index + 1}`;
    const [, name, value] = /^\s*([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      findings.push(fault(about, 'this is no line NAME=value', 'take out `export` and spaces'));
      continue;
    }
    if (Object.hasOwn(values, name)) {
      findings.push(warning(about, `${name} is set a second time`, 'keep one of the lines'));
    }
    values[name] = withoutQuotes(value.trim());
  }
  return { values, findings };
}

function withoutQuotes(value: string): string {
  return /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
}
