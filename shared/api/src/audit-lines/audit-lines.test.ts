import { describe, expect, it, test } from '@jest/globals';
import { AUDIT_FORMATS } from '../audit-query.js';
import { VERSION } from '../operations/service.js';
import type { AuditEntryView } from '../service-schema.js';
import { cefHeader, cefValue } from './audit-cef.js';
import { AUDIT_LINES } from './audit-lines.js';
import { parameterValue } from './audit-syslog.js';

function entry(fields: Partial<AuditEntryView> = {}): AuditEntryView {
  return {
    chain: 'ledger',
    seq: 7,
    time: '2026-01-02T03:04:05.006Z',
    actor: 'somebody',
    action: 'create-vault',
    resource: {
      type: 'vault',
      ids: ['v1', 'v2'],
      vault_ids: [],
      wallet_addresses: [],
      key_ids: [],
      user_ids: [],
    },
    outcome: 'denied',
    request_id: null,
    details: {},
    prev_hash: '00',
    hash: '01',
    ...fields,
  };
}

const LINE_SEPARATOR = String.fromCodePoint(0x2028);
const NEXT_LINE = String.fromCodePoint(0x85);
const HOSTILE = `x"]\\ y=z|w\r\n<0>1 forged${LINE_SEPARATOR}CEF:0|forged${NEXT_LINE}\u0000\u001B[2J`;

describe('a line of the audit log', () => {
  it.each(AUDIT_FORMATS.filter((format) => format !== 'csv'))(
    'is one line as %s, whatever is in the entry',
    (format) => {
      const hostile = entry({
        actor: HOSTILE,
        action: HOSTILE,
        chain: HOSTILE,
        request_id: HOSTILE,
        resource: { ...entry().resource, type: HOSTILE, ids: [HOSTILE, HOSTILE] },
        policy: { id: HOSTILE, version: 1, rule_id: HOSTILE },
        details: { reason: HOSTILE, lone: '\uD800' },
      });
      const line = AUDIT_LINES[format].line(hostile);
      expect(line.endsWith('\n')).toBe(true);
      // JSON lines end with line feeds alone; the others are read by programs that know more ends of a line
      expect(line.slice(0, -1)).not.toMatch(
        format === 'jsonl' ? /[\r\n]/ : /[\p{Cc}\p{Zl}\p{Zp}]/u,
      );
    },
  );

  it('is a message of RFC 5424 with structured data', () => {
    const line = AUDIT_LINES.rfc5424.line(
      entry({ policy: { id: 'p', version: 3 }, details: { reason: 'a "b" [c] \\d' } }),
    );
    expect(line).toBe(
      '<108>1 2026-01-02T03:04:05.006Z - countersign - create-vault [countersign@32473 chain="ledger" seq="7" ' +
        'actor="somebody" action="create-vault" outcome="denied" resourceType="vault" resourceIds="v1 v2" ' +
        'policyId="p" policyVersion="3" ' +
        String.raw`details="{\"reason\":\"a \\\"b\\\" [c\] \\\\d\"}" prevHash="00" hash="01"]` +
        '\n',
    );
  });

  it.each([
    ['allowed', '<110>'],
    ['denied', '<108>'],
    ['failed', '<107>'],
  ] as const)('has a severity for what was %s', (outcome, priority) => {
    expect(AUDIT_LINES.rfc5424.line(entry({ outcome })).startsWith(priority)).toBe(true);
  });

  it('is an event of CEF', () => {
    const line = AUDIT_LINES.cef.line(entry({ action: 'a|b', details: { reason: 'a=b|c\\d' } }));
    expect(line).toBe(
      `CEF:0|Countersign|countersign|${VERSION}|a\\|b|a\\|b denied|6|rt=1767323045006 suid=somebody act=a|b outcome=denied ` +
        'cs1Label=chain cs1=ledger cn1Label=seq cn1=7 cs2Label=hash cs2=01 cs3Label=prevHash cs3=00 ' +
        'cs4Label=resource cs4=vault v1 v2 ' +
        String.raw`msg={"reason":"a\=b|c\\\\d"}` +
        '\n',
    );
  });
});

test.each([
  ['"', String.raw`\"`],
  ['\\', '\\\\'],
  [']', String.raw`\]`],
  ['[a=b|c', '[a=b|c'],
  ['a\r\nb', 'a  b'],
])('structured data: %j becomes %j', (text, value) => {
  expect(parameterValue(text)).toBe(value);
});

test.each([
  ['a|b', String.raw`a\|b`, 'a|b'],
  ['a=b', 'a=b', String.raw`a\=b`],
  ['a\\b', 'a\\\\b', 'a\\\\b'],
  ['a\nCEF:0', 'a CEF:0', 'a CEF:0'],
])('CEF: %j becomes %j in the header and %j behind it', (text, header, value) => {
  expect(cefHeader(text)).toBe(header);
  expect(cefValue(text)).toBe(value);
});
