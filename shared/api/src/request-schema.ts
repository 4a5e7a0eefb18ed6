import * as s from '@countersign/core/shapes.js';
import { pageOf } from './common-schema.js';
import { pageQuery, queryEnum } from './primitives.js';
import type { RequestTexts } from './request-texts.js';
import { REQUEST_STATUSES, requestRecord } from './service-schema.js';

export const approvalTexts: RequestTexts = {
  name: 'ApproveRequest',
  body: {
    digest:
      '`digest` of the request that is approved, as computed from what is approved: 64 hexadecimal digits. 409 for another one.',
    rule_ids:
      'Of a request for a signature: ids of the rules under which it is approved, 1 to 16, as `asked_by` names those that decide. The approval counts for no other rule. Absent: it counts for every rule that asks. The request is then released once every rule that could ask has its approvals: name the rules where several could. A rule that could not ask for an approval of the request is 422, and so is a change of the vault.',
  },
};

export const endTexts: RequestTexts = {
  name: 'EndRequest',
  body: {
    reason: 'Why, for people; 1 to 512 characters. Absent: not said.',
  },
};

export const requestPage = pageOf('RequestPage', requestRecord);

export const listRequestsQuery = s.strictObject({
  ...pageQuery,
  status: queryEnum(REQUEST_STATUSES)
    .optional()
    .describe('Requests with this status. Absent: all.'),
  awaiting_my_approval: queryEnum(['true', 'false'])
    .optional()
    .describe(
      '`true`: those that wait, that the caller is asked to approve and has not approved. `false`: the others. Absent: all.',
    ),
});
