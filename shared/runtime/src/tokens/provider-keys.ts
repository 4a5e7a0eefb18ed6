/**
 * The keys with which a provider signs tokens. The operator names the address, but the network decides what answers
 * there. So the answer is bounded in time and size, and redirects are not followed. However many tokens with unknown
 * keys come, the provider is asked only once in a while.
 */
import { readFileSync } from 'node:fs';
import { importJWK, type CryptoKey, type JWK } from 'jose';
import { z } from 'zod';

export interface ProviderKeys {
  /**
   * The key of this id. `unknown`: the provider has none. `unavailable`: it cannot be asked, or was asked a moment
   * ago, and its last answer is too old. `now`: ms, by a clock that nobody sets: one that is set back would keep
   * withdrawn keys good, and new ones unknown, for as long.
   */
  find(kid: string, now: number): Promise<CryptoKey | 'unknown' | 'unavailable'>;
}

/** How old an answer may be before another is asked for, ms. */
const FRESH_MS = 10 * 60_000;
/** How long an answer is used while the provider cannot be reached, ms. A withdrawn key may count for so long. */
export const STALE_MS = 24 * 3_600_000;
/** Time between two questions, ms. */
export const COOLDOWN_MS = 30_000;
export const ANSWER_WITHIN_MS = 5_000;
const MAX_ANSWER_BYTES = 256 * 1024;
const MAX_KEYS = 64;

const keySetSchema = z.object({ keys: z.array(z.record(z.string(), z.unknown())).max(MAX_KEYS) });
/** The fields that a key must have to count; other keys in a set are ignored. */
const signingKeySchema = z.object({
  kty: z.literal('RSA'),
  kid: z.string().min(1).max(255),
  alg: z.literal('RS256').optional(),
  use: z.literal('sig').optional(),
  n: z.string(),
  e: z.string(),
});

type KeySet = ReadonlyMap<string, CryptoKey>;

/** Reads the keys from a file, once for the life of the process. Throws if it is no key set. */
export async function openKeyFile(path: string): Promise<ProviderKeys> {
  const keys = await readKeySet(readFileSync(path, 'utf8'));
  return { find: async (kid) => keys.get(kid) ?? 'unknown' };
}

/** Asks when a token needs it, never ahead. */
export function createRemoteKeys(
  url: string,
  ask: (url: string) => Promise<string> = (from) => askProvider(from),
): ProviderKeys {
  let known: { readonly keys: KeySet; readonly since: number } | undefined;
  let askedAt = -Infinity;
  let asking: Promise<void> | undefined;

  async function refresh(now: number): Promise<void> {
    try {
      known = { keys: await readKeySet(await ask(url)), since: now };
    } catch {
      // the last answer is used for a while: see STALE_MS
    }
  }

  return {
    async find(kid, now) {
      const isFresh = known !== undefined && now - known.since < FRESH_MS;
      const found = isFresh ? known?.keys.get(kid) : undefined;
      if (found !== undefined) return found;
      if (asking === undefined && now - askedAt >= COOLDOWN_MS) {
        askedAt = now;
        asking = refresh(now).finally(() => {
          asking = undefined;
        });
      }
      await asking;
      if (known === undefined || now - known.since > STALE_MS) return 'unavailable';
      return known.keys.get(kid) ?? 'unknown';
    },
  };
}

const discoverySchema = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https$/ }) });

/** The keys of a provider that says itself where they are (OpenID Connect Discovery 1.0), asked anew each time. */
export function createDiscoveredKeys(
  issuer: string,
  ask: (url: string) => Promise<string> = (from) => askProvider(from),
): ProviderKeys {
  const document = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  return createRemoteKeys(document, async (url) => {
    const said = discoverySchema.parse(JSON.parse(await ask(url)));
    if (said.issuer !== issuer) throw new Error('the discovery document is of another issuer');
    return ask(said.jwks_uri);
  });
}

/** Rejects for another status, a redirect, and an answer that is too long or too slow. */
export async function askProvider(url: string, withinMs = ANSWER_WITHIN_MS): Promise<string> {
  const signal = AbortSignal.timeout(withinMs);
  const response = await fetch(url, { redirect: 'error', signal });
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel();
    throw new Error(
      `the identity provider answered the request for its keys with status ${response.status}`,
    );
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES)
      throw new Error('the keys of the identity provider are longer than allowed');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function readKeySet(text: string): Promise<KeySet> {
  const { keys } = keySetSchema.parse(JSON.parse(text));
  const usable = keys.flatMap((key) => {
    const parsed = signingKeySchema.safeParse(key);
    return parsed.success ? [parsed.data] : [];
  });
  const imported = await Promise.all(
    usable.map(async ({ kid, n, e }) => {
      const jwk: JWK = { kty: 'RSA', n, e };
      return [kid, (await importJWK(jwk, 'RS256')) as CryptoKey] as const;
    }),
  );
  return new Map(imported);
}
