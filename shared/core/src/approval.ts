/** What an approver signs, so that an approval counts for one request and nothing else. */
import { ByteWriter } from './bytes.js';
import { sha256 } from './hash.js';
import * as r from './records.js';

const CALL = {
  /** The digest of its transcript, 32 bytes, which covers credential, time and nonce as well. */
  transcript: r.bytes,
  /** Id of the user who asks. */
  requester: r.text,
  method: r.text,
  /** Raw request target before the first `?`. */
  path: r.text,
  /** Raw request target after the first `?`; empty when there is none. */
  query: r.text,
  /** Body bytes as they stood on the wire. */
  body: r.bytes,
};

/** A request as shown to approvers: all that its evidence says except the caller's credential. */
export type ApprovedCall = r.Recorded<typeof CALL>;

const DOMAIN = 'countersign approval v1';

/**
 * SHA-256 (32 bytes) over domain, transcript digest, requester, method, path, query and body, each after its length.
 * The transcript alone would name the request too, but nobody without the requester's credential could tell its
 * content. Anybody can recompute this digest from what they are shown.
 */
export function approvalDigest(call: ApprovedCall): Buffer {
  return sha256(r.writeRecord(new ByteWriter().field(DOMAIN), CALL, call).bytes());
}
