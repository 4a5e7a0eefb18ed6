/** A person's passkeys, in the form in which they are checked. */
import type { PasskeyKey, PasskeyVerifier } from '@countersign/core/passkey-assertion.js';
import type { HumanUser, Passkey, User, VaultState } from './state.js';

const NOWHERE = { rpId: '', origins: [] };

export function passkeysOf({ passkeys = [] }: HumanUser): readonly Passkey[] {
  return passkeys;
}

/** Whether the user is a person who can sign. */
export function isEnrolled(user: User): boolean {
  return user.type === 'human' && passkeysOf(user).length > 0;
}

/** The user's id as bytes, base64url: authenticators keep it with a passkey. It does not reveal who that is. */
export function userHandleOf(userId: string): string {
  return Buffer.from(userId.replaceAll('-', ''), 'hex').toString('base64url');
}

export function verifierOf(
  { relyingParty = NOWHERE }: VaultState,
  userId: string,
  passkeys: readonly PasskeyKey[],
): PasskeyVerifier {
  return {
    relyingParty,
    userHandle: userHandleOf(userId),
    passkeys: passkeys.map(({ credentialId, algorithm, publicKey, backupEligible }) => ({
      credentialId,
      algorithm,
      publicKey,
      backupEligible,
    })),
  };
}
