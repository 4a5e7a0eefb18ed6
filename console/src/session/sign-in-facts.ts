/** What this page must know before anybody has signed in. */

export interface IdentityProvider {
  readonly kind: 'azure' | 'gcp' | 'development';
  /** URL. */
  readonly issuer: string;
  readonly client_id: string;
}

export interface SignInFacts {
  readonly vault_id: string;
  readonly genesis_hash: string;
  readonly relying_party: { readonly id: string; readonly origins: readonly string[] } | null;
  readonly providers: readonly IdentityProvider[];
}

/** Rejects where the vault does not answer. */
export async function readSignInFacts(): Promise<SignInFacts> {
  const response = await fetch('/v1/sign-in', { credentials: 'omit', cache: 'no-store' });
  if (!response.ok) throw new Error('the vault does not say how people sign in');
  return (await response.json()) as SignInFacts;
}
