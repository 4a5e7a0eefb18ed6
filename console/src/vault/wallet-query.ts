/** How wallets are looked for in a vault. */

const MOST = { limit: '100' } as const;
/** No network has shorter addresses. */
const SHORTEST_ADDRESS = 26;

/** `text`: a part of a name, or a whole address. Empty: all. */
export function walletQuery(text: string): {
  limit: string;
  addresses?: string;
  display_name_like?: string;
} {
  if (text === '') return MOST;
  const isAddress = text.length >= SHORTEST_ADDRESS && /^[\w.:-]+$/.test(text);
  return isAddress ? { ...MOST, addresses: text } : { ...MOST, display_name_like: text };
}
