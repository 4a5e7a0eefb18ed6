import { asksVenue } from './request-content.js';
import type { RequestRecord } from './shown-record.js';

const SIGNING = /^(?:raw-)?sign(?:-batch)?(?:-with-key)?$/;

/** What “completed” says of a signature and what it does not; undefined for every other request. */
export function completionWords(record: RequestRecord): string | undefined {
  const { status, operation } = record;
  if (status !== 'completed' || !SIGNING.test(operation)) return undefined;
  if (record.items !== undefined)
    return 'Each item was decided for itself: what came of it is below.';
  return asksVenue(record)
    ? 'Signed here, and the signature given to whoever asked. Whether it was sent, and whether the venue took the order, is not known here: look at the venue.'
    : 'Signed here, and the signature given to whoever asked. Whether it was used is not known here.';
}

/** Whether somebody else still has to approve, by the record that an approval was answered with. */
export function afterApproval({ status, phase }: Pick<RequestRecord, 'status' | 'phase'>): string {
  return status === 'processing' && phase === 'awaiting_approval'
    ? 'Others still have to approve it.'
    : 'No approval is missing any more.';
}
