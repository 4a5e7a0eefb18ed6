import { describe, expect, it } from '@jest/globals';
import { isRefusal } from '@countersign/core/errors.js';
import fc from 'fast-check';
import { exportAuditLogsQuery, listAuditLogsQuery } from './audit-query.js';
import { parseQuery } from './query-string.js';

const SCHEMAS = [listAuditLogsQuery, exportAuditLogsQuery];

/** What each of the queries makes of a time, as `from` and as `to`. */
function readings(time: string): unknown[] {
  return SCHEMAS.flatMap((schema) =>
    (['from', 'to'] as const).map((name) => {
      const query = parseQuery(schema, `${name}=${encodeURIComponent(time)}`);
      return isRefusal(query) ? query : query[name];
    }),
  );
}

const OUTSIDE = { refused: 'parse_error', message: expect.stringMatching(/years 1 to 9999/) };

describe('a time in a query of the audit log', () => {
  it.each([
    '0000-01-01T00:00:00Z',
    '0000-12-31T23:59:59.999Z',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '9999-12-31T23:59:59-23:59',
  ])('beyond the years 1 to 9999 is 400 and says so: %s', (time) => {
    for (const reading of readings(time)) expect(reading).toMatchObject(OUTSIDE);
  });

  it.each(['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '0000-12-31T23:59:00-00:01'])(
    'within them is one: %s',
    (time) => {
      for (const reading of readings(time)) expect(reading).toBe(Date.parse(time));
    },
  );

  it('that is taken is printed with a year of four digits, which every store reads', () => {
    const two = fc.integer({ min: 0, max: 99 }).map((n) => String(n).padStart(2, '0'));
    const year = fc.constantFrom('0000', '0001', '1970', '9998', '9999', '10000');
    const zone = fc.constantFrom('Z', '+14:00', '-12:00', '+23:59', '-23:59');
    fc.assert(
      fc.property(year, two, two, two, zone, (y, month, day, hour, offset) => {
        for (const reading of readings(`${y}-${month}-${day}T${hour}:00:00${offset}`)) {
          if (isRefusal(reading)) expect(reading.refused).toBe('parse_error');
          else expect(new Date(reading as number).toISOString()).toMatch(/^\d{4}-/);
        }
      }),
      { numRuns: 300 },
    );
  });
});
