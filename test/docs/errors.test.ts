/** docs/reference/errors.md has every type of error with its status, and every text of 403 and 504. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { DENIALS, type NamedRule } from '@countersign/core/denials.js';
import { ERR_STATUS } from '@countersign/core/err-status.js';
import { repoPaths } from '../support/repo-files.ts';
import { codesIn, tableRows } from '../support/page-tables.ts';

const PAGE = 'docs/reference/errors.md';
const TEXTS = tableRows(PAGE, '`err_msg`').flatMap((row) => codesIn(row['`err_msg`']!));

/** What stands in the page for whatever a text names. */
const NAMED = '…';
const RULE: NamedRule = { id: NAMED, version: NAMED as never, ruleId: NAMED };

const SOURCES = repoPaths()
  .filter((path) => /^(gateway|shared)\/.*\.ts$/.test(path) && !/test/.test(path))
  .map((path) => readFileSync(path, 'utf8'));

describe('docs/reference/errors.md', () => {
  it('has every type, with its status', () => {
    const told = tableRows(PAGE, '`err_type`').map((row) => [
      codesIn(row['`err_type`']!)[0],
      Number(row['status']),
    ]);
    expect(told).toEqual(Object.entries(ERR_STATUS));
  });

  it('has every text of a denial', () => {
    const { signing_policies: _worded, approvals_missing: missing, ...others } = DENIALS;
    const texts = Object.values(others).map((text: (...named: string[]) => string) =>
      text(NAMED, NAMED),
    );
    expect([...texts, missing([RULE])].filter((text) => !TEXTS.includes(text))).toEqual([]);
  });

  it('has every text of an overload', () => {
    const said = SOURCES.flatMap((source) => [
      ...[...source.matchAll(/'gateway_timeout',\s*'([^']+)'/g)].map(([, text]) => text!),
      ...[...source.matchAll(/refuseTooOften\('([^']+)'/g)].map(([, text]) => text!),
      ...[...source.matchAll(/: '(too many [^']+)',/g)].map(([, text]) => text!),
    ]);
    expect(new Set(said).size).toBeGreaterThan(15);
    expect([...new Set(said)].filter((text) => !TEXTS.includes(text))).toEqual([]);
    const of504 = readFileSync(PAGE, 'utf8')
      .split(/^## /m)
      .find((part) => part.startsWith('504'));
    const told = codesIn(of504!).filter((text) => text.includes(' '));
    expect(told.filter((text) => !said.includes(text))).toEqual([]);
  });

  it("has the client's own types", () => {
    const source = readFileSync('client/src/answers/call-result.ts', 'utf8');
    const [, union] = /export type ClientErrType =([^;]+);/.exec(source)!;
    const told = tableRows(PAGE, 'type').flatMap((row) => codesIn(row['type']!));
    expect(told).toEqual([...union!.matchAll(/'(\w+)'/g)].map(([, type]) => type));
  });
});
