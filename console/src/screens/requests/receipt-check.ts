/**
 * Whether a receipt proves that two parties of a genesis that somebody brought signed what is shown: checked in this
 * page, whatever the gateway says.
 */
import { itemIdOf } from '@countersign/core/batch-item.js';
import { parseHex, toHex } from '@countersign/core/bytes.js';
import { requestIdOf } from '@countersign/core/evidence.js';
import { sha256 } from '@countersign/core/hash.js';
import type { PinnedVault } from '@countersign/client/pinned-vault.js';
import { findFaultOfReceipt } from '@countersign/client/verify-receipt.js';
import { messageOf, signerOf } from './request-content.js';
import type { RequestRecord } from './shown-record.js';

type Receipt = NonNullable<RequestRecord['receipt']>;

/** Why it does not verify, for people, as in “the receipt …”; undefined where it does. `requestId`: of the page. */
export function findReceiptFault(
  record: RequestRecord,
  receipt: Receipt,
  requestId: string,
  pinned: PinnedVault,
): string | undefined {
  return (
    findFaultOfReceipt(receipt, pinned) ??
    (receipt.request_id === requestId ? undefined : 'is of another request') ??
    findContentFault(record, receipt, requestId)
  );
}

/** Where the record says what was asked for: whether the receipt is of that. */
function findContentFault(
  record: RequestRecord,
  receipt: Receipt,
  requestId: string,
): string | undefined {
  const { content, batch } = record;
  if (content === undefined) return undefined;
  const asking = requestIdOf(parseHex(content.transcript) ?? Buffer.alloc(0));
  const id = batch === undefined ? asking : itemIdOf(asking, batch.index);
  if (id !== requestId) return 'is of another request than the one that is shown';
  const signer = signerOf(content);
  if (signer !== undefined && 'keyId' in signer && signer.keyId !== receipt.key_id) {
    return 'is of another key than the one that was asked for';
  }
  const message = messageOf(record);
  return message === undefined || toHex(sha256(message)) === receipt.message_sha256
    ? undefined
    : 'is of another message than the one that is shown';
}
