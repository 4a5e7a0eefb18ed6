/** Why somebody cannot approve or reject a request now, in words for the button; undefined where they can. */
import type { RequestRecord } from './shown-record.js';
import { venueWordOf } from './signer-venue.js';

interface Viewer {
  readonly userId: string;
  /** Whether the vault lists the request among those that wait for the viewer; undefined while that is being read. */
  readonly isAsked: boolean | undefined;
  /** The vault's time, ms. */
  readonly now: number;
}

export function rejectionObstacle(record: RequestRecord, viewer: Viewer): string | undefined {
  const { status, phase, expires_at: expiresAt, created_by: requester } = record;
  if (status !== 'processing' || phase !== 'awaiting_approval') return 'It no longer waits.';
  if (expiresAt !== null && Date.parse(expiresAt) <= viewer.now) return 'Its time is over.';
  if (requester === viewer.userId) return 'You asked for it: your own approval does not count.';
  // first: whose approval counts no longer is asked anew
  if (viewer.isAsked === true) return undefined;
  if (record.approvals.given.includes(viewer.userId)) return 'You have approved it already.';
  return viewer.isAsked === undefined
    ? 'Reading whether your approval is asked for.'
    : 'No policy asks for your approval now.';
}

/** `digest`: as computed here of what is shown. */
export function approvalObstacle(
  record: RequestRecord,
  viewer: Viewer,
  digest: string | undefined,
): string | undefined {
  const obstacle = rejectionObstacle(record, viewer);
  if (obstacle !== undefined) return obstacle;
  if (venueWordOf(record) === 'false') {
    return 'The key was made for another venue than this gateway names: do not approve it.';
  }
  return digest === undefined || digest !== record.digest
    ? 'The digest of what is shown is not the one that the vault names: do not approve it.'
    : undefined;
}
