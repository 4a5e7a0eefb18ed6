import type { User } from '../state/state.js';

/** Whether what the one signed is good for the other: the same user with the same credentials. */
export function isSameSigner(one: User, other: User): boolean {
  if (one.id !== other.id) return false;
  if (one.type === 'machine' && other.type === 'machine') return one.publicKey === other.publicKey;
  return (
    one.type === 'human' && other.type === 'human' && one.credentialEpoch === other.credentialEpoch
  );
}
