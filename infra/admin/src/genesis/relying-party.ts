/** Where the passkeys of a vault belong, as whoever makes its genesis says. */

export interface GenesisPasskeys {
  readonly rp_id: string;
  readonly origins: string[];
}

/**
 * Both or neither; undefined for neither. A browser gives a passkey of a domain to pages of that domain and those below it, over
 * TLS.
 */
export function relyingPartyOf(
  rpId: string | undefined,
  origins: readonly string[],
): GenesisPasskeys | 'not of one domain' | undefined {
  if (rpId === undefined && origins.length === 0) return undefined;
  const isOurs = (origin: string): boolean => {
    if (!URL.canParse(origin)) return false;
    const { hostname, protocol, origin: itself } = new URL(origin);
    const isBelow = hostname === rpId || hostname.endsWith(`.${rpId}`);
    return itself === origin && isBelow && (protocol === 'https:' || hostname === 'localhost');
  };
  const isWhole = rpId !== undefined && origins.length > 0 && origins.every(isOurs);
  return isWhole ? { rp_id: rpId, origins: [...origins] } : 'not of one domain';
}
