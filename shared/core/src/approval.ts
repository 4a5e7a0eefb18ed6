/** What an approver signs, so that an approval counts for one request and nothing else. */
import { ByteWriter, type Bytes } from './bytes.js';
import { sha256 } from './hash.js';

/** A request as shown to approvers: all that its evidence says except the caller's credential. */
export interface ApprovedCall {
  /** The digest of its transcript, 32 bytes, which covers credential, time and nonce as well. */
  readonly transcript: Bytes;
  /** Id of the user who asks. */
  readonly requester: string;
  readonly method: string;
  /** Raw request target before the first `?`. */
  readonly path: string;
  /** Raw request target after the first `?`; empty when there is none. */
  readonly query: string;
  /** Body bytes as they stood on the wire. */
  readonly body: Bytes;
}

const DOMAIN = 'countersign approval v1';

/**
 * SHA-256 (32 bytes) over domain, transcript digest, requester, method, path, query and body, each after its length.
 * The transcript alone would name the request too, but nobody without the requester's credential could tell its
 * content. Anybody can recompute this digest from what they are shown.
 */
export function approvalDigest(call: ApprovedCall): Buffer {
  const bytes = new ByteWriter()
    .field(DOMAIN)
    .field(call.transcript)
    .field(call.requester)
    .field(call.method)
    .field(call.path)
    .field(call.query)
    .field(call.body)
    .bytes();
  return sha256(bytes);
}
