import { apiOperation, READ, WRITE } from '../operation.js';
import { partiesView, refreshSharesTexts, replacePartyTexts } from '../parties-schema.js';
import { refreshSharesRequest, replacePartyRequest } from '../requests/parties.js';
import { GENESIS_HASH } from '../example-values.js';

const tag = 'parties';

const key = (letter: string) => `${letter.repeat(43)}=`;
const parties = [1, 2, 3].map((party) => ({
  party,
  identity_public_key: key('ABC'[party - 1]!),
  exchange_public_key: key('DEF'[party - 1]!),
}));
const successor = { identity_public_key: key('G'), exchange_public_key: key('I') };
const quiet = { parties, former: [], successor: null, refresh: null };

export const getPartiesOperation = apiOperation({
  ...READ,
  tag,
  id: 'get-parties',
  path: '/v1/system/parties',
  summary: 'Get the parties and their public keys',
  description:
    'The public keys of the three parties, those of parties that were replaced, a replacement that waits, and how far the newest refresh of shares has come.',
  response: partiesView,
  example: { response: quiet },
});

export const replacePartyOperation = apiOperation({
  ...WRITE,
  tag,
  ...replacePartyRequest,
  texts: replacePartyTexts,
  summary: 'Replace a party',
  description:
    'Names the public keys of a new host for a party that is lost. They count once the operators of the two other parties have confirmed them on their own hosts. From that place in the ledger on, nothing that the old keys sign counts, and all keys get new shares. 409 for keys that are, or were, those of a party, and while another new host waits for its shares. A later request takes the place of an earlier one.',
  response: partiesView,
  example: {
    body: successor,
    response: {
      ...quiet,
      successor: { party: 3, ...successor, request_hash: GENESIS_HASH, confirmed_by: [] },
    },
  },
});

export const refreshSharesOperation = apiOperation({
  ...WRITE,
  tag,
  ...refreshSharesRequest,
  texts: refreshSharesTexts,
  summary: 'Make new shares of every key',
  description:
    'All three parties make new shares of every key, whose public key stays as it is. Old shares are of no use with new ones, so what was stolen of one party before is worth nothing with what is stolen of another afterwards. Signing goes on meanwhile. 409 while keys still wait for the shares of the refresh before.',
  response: partiesView,
  example: {
    body: { dealers: [1, 2] },
    response: {
      ...quiet,
      refresh: { number: 1, dealers: [1, 2], successor: null, keys_left: 112 },
    },
  },
});

export const PARTY_OPERATIONS = [
  getPartiesOperation,
  replacePartyOperation,
  refreshSharesOperation,
] as const;
