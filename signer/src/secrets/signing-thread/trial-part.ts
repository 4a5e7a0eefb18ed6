/**
 * Trial signatures, which no caller asked for, show that an imported key works for a pair of parties. The message is
 * made here and begins with a text that no request, transaction or venue message begins with: whoever can order trials
 * can have nothing else signed.
 *
 * An HMAC secret gets none. Whatever the message, its partner contributes its part, and the lead would have the whole
 * secret before anybody has asked for a signature.
 */
import { ByteWriter } from '@countersign/core/bytes.js';
import { withOpenedShares } from './opened-share.js';
import { combine, contribute, reasonOf } from './sign-items.js';
import type { ThreadState } from './thread-state.js';
import type {
  StoredKey,
  TrialLeadInput,
  TrialPartnerInput,
  TrialSubject,
} from '../../threads/thread-tasks.js';

/** Undefined when the maths fails on this party's part. Rejects when that cannot be told. */
export async function contributeToTrial(
  state: ThreadState,
  input: TrialPartnerInput,
): Promise<Uint8Array | undefined> {
  refuseHmac(input);
  try {
    const message = trialMessage(input.trial);
    return await withOpenedShares(state, (share) =>
      contribute(state, share, { ...input, message }),
    );
  } catch (error) {
    if (isFailedTrial(error)) return undefined;
    throw error;
  }
}

/** Whether the signature of this pair verifies. Rejects when that cannot be told. */
export async function leadTrial(state: ThreadState, input: TrialLeadInput): Promise<boolean> {
  refuseHmac(input);
  try {
    const message = trialMessage(input.trial);
    await withOpenedShares(state, (share) => combine(state, share, { ...input, message }));
    return true;
  } catch (error) {
    if (isFailedTrial(error)) return false;
    throw error;
  }
}

function refuseHmac({ key }: { readonly key: Pick<StoredKey, 'type'> }): void {
  if (key.type === 'hmac') throw new Error('an HMAC secret makes no trial signature');
}

/**
 * A fault counts as a failure: an importer can split an RSA key so that one pair's power is 1, on which OpenSSL fails,
 * and an import that nobody can finish must come to its end.
 */
function isFailedTrial(error: unknown): boolean {
  const reason = reasonOf(error);
  return reason === 'partner-share' || reason === 'fault';
}

function trialMessage({ keyId, session }: TrialSubject): Buffer {
  return new ByteWriter()
    .fixed(Buffer.from('countersign trial signature v1\n'))
    .field(keyId)
    .field(session)
    .bytes();
}
