/** A person's passkeys as they are checked. */
import type { PasskeyKey, PasskeyVerifier } from '@countersign/core/passkey-assertion.js';
import type { HumanUser, Passkey, User, VaultState } from './state.js';

const NOWHERE = { rpId: '', origins: [] };

export function passkeysOf({ passkeys = [] }: HumanUser): readonly Passkey[] {
  return passkeys;
}

/** Whether it is a person who can sign. */
export function isEnrolled(user: User): boolean {
  return user.type === 'human' && passkeysOf(user).length > 0;
}

/** What authenticators keep with a passkey: the bytes of the user's id, base64url. It tells nobody who that is. */
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
