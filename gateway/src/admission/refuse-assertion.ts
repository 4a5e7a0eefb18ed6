/**
 * Answers a caller whose credential is right and whose assertion is not with what this server read, so that the mistake
 * can be found. It repeats what the caller sent and nothing else: no credential, no assertion, nothing about keys.
 */
import { refuse, type Refusal } from '@countersign/core/errors.js';
import type { Evidence } from '@countersign/core/evidence.js';
import { sha256 } from '@countersign/core/hash.js';

/** An Ed25519 signature. */
const ASSERTION_BYTES = 64;
/** Characters shown of path and of query; a target may be 16 KiB long. */
const MAX_SHOWN = 256;

export function refuseAssertion(evidence: Evidence): Refusal {
  const { method, path, query, body } = evidence;
  const fault = faultOf(evidence);
  const read = [
    `method "${method}"`,
    `path ${shown(path)}`,
    `query ${shown(query)}`,
    `body of ${body.length} bytes with SHA-256 ${sha256(body).toString('hex')}`,
  ];
  return refuse(
    'unauthorized',
    `x-request-assertion ${fault}; what this server read: ${read.join(', ')}; and the credential, ` +
      'timestamp and nonce of their headers',
  );
}

function faultOf({ scheme, assertion }: Evidence): string {
  if (scheme === 'Bearer') {
    return 'is no assertion by a passkey of yours over this request, with user verification, for the RP id and an origin of this vault';
  }
  return assertion.length === ASSERTION_BYTES
    ? 'is no signature of this request'
    : `is not ${ASSERTION_BYTES} bytes in base64url without padding`;
}

/** Raw targets are printable ASCII without quotes. */
function shown(text: string): string {
  return text.length <= MAX_SHOWN
    ? `"${text}"`
    : `"${text.slice(0, MAX_SHOWN)}"... (${text.length} characters)`;
}
