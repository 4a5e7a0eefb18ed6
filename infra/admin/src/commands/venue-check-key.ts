/** What a venue lets one of its API keys do: asked by a request that the vault signs, as it signs orders. */
import type { CountersignClient } from '@countersign/client/countersign-client.js';
import {
  RefusedError,
  UsageError,
  type Command,
  type Given,
  type Outcome,
  type Surroundings,
} from '../tool/command.js';
import { printable, tableOf } from '../tool/output.js';
import { askVenue, type SignedVenueRequest } from '../venues/ask-venue.js';
import {
  areOwnHeaders,
  CHECKABLE_VENUES,
  warningsAbout,
  type CheckableVenue,
  type CheckedKey,
} from '../venues/checked-key.js';
import { asCaller, valueOrRefused } from './caller.js';
import { PROFILE_OPTION } from './profile.js';

export const CHECK_KEY_COMMAND: Command = {
  words: 'venue check-key',
  about: 'Ask the venue what an API key of the vault may do there, from where, and until when.',
  details: `The vault signs the question, so a rule must let you read with the key, and you need the right to view system resources. This command sends it to the venue itself: ${Object.keys(CHECKABLE_VENUES).join(', ')}. Exit code 1: something should be changed at the venue.`,
  arguments: [{ name: 'KEY_ID', about: 'Id of the key.' }],
  options: [
    {
      name: 'base-url',
      value: 'URL',
      about: "Where the venue is asked, https; absent: the venue's own address.",
    },
    PROFILE_OPTION,
  ],
  examples: [
    'venue check-key KEY_ID',
    'venue check-key KEY_ID --base-url https://testnet.binance.vision',
  ],
  run: checkKey,
};

async function checkKey(given: Given, io: Surroundings): Promise<Outcome> {
  const typed = given.maybe('base-url');
  const elsewhere = typed === undefined ? undefined : baseUrlOf(typed);
  const { venueId, venue, request } = await asCaller(given, io, ({ client }) =>
    signQuestion(client, given.one('KEY_ID')),
  );
  const answer = await askVenue(elsewhere ?? new URL(venue.baseUrl), request);
  const key = readAnswer(venue, answer);
  const warnings = warningsAbout(key, Date.now());
  const value = { venue_id: venueId, ...viewOf(key), warnings };
  return { value, text: textOf(value), code: warnings.length === 0 ? 0 : 1 };
}

/** A signed question works for whoever sees it, for a few seconds. */
function baseUrlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLocal = url !== undefined && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
  if (url === undefined || !(url.protocol === 'https:' || (isLocal && url.protocol === 'http:'))) {
    throw new UsageError('--base-url is an address with https');
  }
  return url;
}

interface Question {
  readonly venueId: string;
  readonly venue: CheckableVenue;
  readonly request: SignedVenueRequest;
}

async function signQuestion(client: CountersignClient, keyId: string): Promise<Question> {
  const params = { key_id: keyId };
  const { venue_id: venueId } = valueOrRefused(await client.call('get-key', { params }));
  const venue = Object.hasOwn(CHECKABLE_VENUES, venueId ?? '')
    ? CHECKABLE_VENUES[venueId!]
    : undefined;
  if (venue === undefined || venueId === undefined || venueId === null) {
    const known = Object.keys(CHECKABLE_VENUES).join(', ');
    throw new RefusedError(`the key is of no venue that can be asked (${known})`);
  }
  const question = { channel: 'rest' as const, method: 'GET' as const, path: venue.path };
  const signed = valueOrRefused(
    await client.call('sign-with-key', { params, body: { venue_request: question } }),
  );
  // what is sent, and where, is our own question: of the answer it needs the signature alone
  const { query, headers } = signed.request;
  if (!areOwnHeaders(venue, headers)) {
    throw new RefusedError(
      "the gateway gave a header that is none of the venue's: nothing was sent",
    );
  }
  return { venueId, venue, request: { method: 'GET', path: venue.path, query, headers } };
}

function readAnswer(venue: CheckableVenue, answer: unknown): CheckedKey {
  try {
    return venue.read(answer);
  } catch {
    const said = JSON.stringify(answer).slice(0, 500);
    throw new RefusedError(printable(`the venue did not say what the key may do: ${said}`));
  }
}

function viewOf({ permissions, canWithdraw, addresses, expiresAt }: CheckedKey) {
  return {
    permissions,
    can_withdraw: canWithdraw,
    addresses: typeof addresses === 'string' ? addresses : [...addresses],
    expires_at: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
  };
}

function textOf({
  venue_id: venue,
  permissions,
  can_withdraw: canWithdraw,
  addresses,
  expires_at: expiresAt,
  warnings,
}: ReturnType<typeof viewOf> & { readonly venue_id: string; readonly warnings: string[] }): string {
  const rows = [
    { what: 'venue', said: venue },
    { what: 'may', said: permissions.join(', ') },
    { what: 'may withdraw', said: canWithdraw ? 'yes' : 'no' },
    { what: 'from', said: Array.isArray(addresses) ? addresses.join(', ') : addresses },
    { what: 'until', said: expiresAt ?? 'no end named' },
    ...warnings.map((said) => ({ what: 'warning', said })),
  ];
  return tableOf(rows, ['what', 'said']);
}
