import type { PasskeyAlgorithm } from './passkey-key.js';

/** The relying party of a vault's passkeys, named in its genesis. */
export interface RelyingParty {
  /** A domain, for instance `vault.example.com`. */
  readonly rpId: string;
  /** In the form that browsers write, for instance `https://vault.example.com`. */
  readonly origins: readonly string[];
}

export interface PasskeyKey {
  /** The authenticator's own name for it: base64url. */
  readonly credentialId: string;
  readonly algorithm: PasskeyAlgorithm;
  /** SubjectPublicKeyInfo (DER), base64: see `passkeyAlgorithmOf`. */
  readonly publicKey: string;
  /** Whether it can be copied to other devices (flag BE). It never changes. */
  readonly backupEligible: boolean;
}

/** Checks a person's assertions: any of their passkeys is good. */
export interface PasskeyVerifier {
  readonly relyingParty: RelyingParty;
  /** Authenticators keep it with the passkey, and some give it back: base64url. */
  readonly userHandle: string;
  readonly passkeys: readonly PasskeyKey[];
}

export interface PasskeyAssertion {
  readonly credentialId: string;
  readonly authenticatorData: Buffer;
  readonly clientDataJson: Buffer;
  readonly signature: Buffer;
  readonly userHandle: string | undefined;
}
