/**
 * A signature that no caller asked for, by which a pair of parties shows that an imported key works. Its
 * message is made here and begins with a text that no request, transaction or venue message begins with:
 * whoever can order trials can have nothing else signed.
 */
import { ByteWriter } from '@countersign/shared/bytes.js';
import { combine, contribute } from './sign-items.js';
import type { ThreadState } from './thread-state.js';
import type { TrialLeadInput, TrialPartnerInput, TrialSubject } from './thread-tasks.js';
import { MathsRefusal } from './maths/maths-refusal.js';

export function contributeToTrial(
  state: ThreadState,
  input: TrialPartnerInput,
): Promise<Uint8Array> {
  return contribute(state, { ...input, message: trialMessage(input.trial) });
}

/** Whether the signature of this pair verifies. Rejects when that cannot be told. */
export async function leadTrial(state: ThreadState, input: TrialLeadInput): Promise<boolean> {
  try {
    await combine(state, { ...input, message: trialMessage(input.trial) });
    return true;
  } catch (error) {
    if (error instanceof MathsRefusal && error.reason === 'partner-share') return false;
    throw error;
  }
}

function trialMessage({ keyId, session }: TrialSubject): Buffer {
  return new ByteWriter()
    .fixed(Buffer.from('countersign trial signature v1\n'))
    .field(keyId)
    .field(session)
    .bytes();
}
