/** The filters of the audit log. */
import * as s from '@countersign/core/shapes.js';
import {
  commaSeparatedAddresses,
  commaSeparatedIds,
  commaSeparatedWords,
  id,
  pageQuery,
  queryEnum,
} from './primitives.js';

/** The formats of an export; `audit-lines/` writes them. */
export const AUDIT_FORMATS = ['jsonl', 'csv', 'rfc5424', 'cef'] as const;

export type AuditFormat = (typeof AUDIT_FORMATS)[number];

const dateTimeText = s.moment();
/** The years that RFC 3339 writes with four digits and that every store can hold, in UTC. */
const FIRST_MS = Date.parse('0001-01-01T00:00:00.000Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** A moment in a query, ms. */
export const instant = s
  .string()
  .check((text) => {
    const message = findInstantFault(text);
    return message === undefined ? undefined : { message, syntax: true };
  })
  .transform((text) => Date.parse(text));

function findInstantFault(text: string): string | undefined {
  if ('issues' in dateTimeText.read(text)) return 'must be an RFC 3339 date-time';
  const ms = Date.parse(text);
  return ms >= FIRST_MS && ms <= LAST_MS ? undefined : 'must lie in the years 1 to 9999, in UTC';
}

const auditFilters = {
  vault_ids: commaSeparatedIds.optional().meta({
    description: 'Entries about any of these vaults: up to 100 ids, separated by commas.',
  }),
  wallet_addresses: commaSeparatedAddresses.optional().meta({
    description:
      'Entries about wallets with any of these addresses: up to 100, separated by commas.',
  }),
  key_ids: commaSeparatedIds.optional().meta({
    description: 'Entries about any of these keys: up to 100 ids, separated by commas.',
  }),
  user_ids: commaSeparatedIds.optional().meta({
    description: 'Entries by or about any of these users: up to 100 ids, separated by commas.',
  }),
  actions: commaSeparatedWords.optional().meta({
    description: 'Entries of any of these actions: up to 100 operation ids, e.g. `create-user`.',
  }),
  outcome: queryEnum(['allowed', 'denied', 'failed']).optional().meta({
    description: 'Entries with this outcome alone.',
  }),
  request_id: id.optional().meta({ description: 'Entries of this one request.' }),
  from: instant
    .meta({ format: 'date-time', description: 'Entries at this time or later; RFC 3339.' })
    .optional(),
  to: instant
    .meta({ format: 'date-time', description: 'Entries before this time; RFC 3339.' })
    .optional(),
};

export const listAuditLogsQuery = s.strictObject({ ...pageQuery, ...auditFilters });

export const exportAuditLogsQuery = s.strictObject({
  ...auditFilters,
  format: queryEnum(AUDIT_FORMATS).optional().meta({
    description:
      '`jsonl` (one JSON object per line) when it is not given; `csv`; `rfc5424` (syslog messages) or `cef` (Common Event Format) for a SIEM.',
  }),
});

export const listAuditChainsQuery = s.strictObject(pageQuery);

/** Decimal digits: a number that JSON cannot hold is no sequence number. */
const sequenceNumber = s
  .string()
  .check((text) =>
    /^\d{1,15}$/.test(text) ? undefined : { message: 'must be a sequence number', syntax: true },
  )
  .transform(Number);

export const readAuditChainQuery = s.strictObject({
  after: sequenceNumber.optional().meta({
    description: 'The last `seq` that the reader has; 0 or absent for the whole chain.',
  }),
  limit: pageQuery.limit,
});
