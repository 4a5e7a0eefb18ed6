/** ccxt's methods at every venue, what they would send, and what the vault makes of it. */
import type { RuleConditions } from '@countersign/vault/state/state.js';
import type { VenueRequest } from '@countersign/venues/engine/venue.js';
import { DESKS, type Desk } from './desks.js';
import { judgeRequest, stateWith, type Judgement } from './judge-request.js';
import {
  openOffline,
  type CcxtModule,
  type OfflineExchange,
  type SentRequest,
} from './offline-exchange.js';
import { implicitCases } from './implicit-cases.js';
import { unifiedCases, type SweepCase } from './unified-cases.js';
import { unsignedOf } from './without-signing.js';

export interface SweptRequest extends Judgement {
  readonly exchange: string;
  readonly venueId: string;
  readonly method: string;
  readonly label: string;
  readonly request: VenueRequest;
}

export interface Swept {
  readonly cases: number;
  readonly requests: readonly SweptRequest[];
}

/** "Look and cancel freely, trade these up to this much": with room for every size that the cases have. */
function deskConditions({ venueId, markets }: Desk): RuleConditions[] {
  const idsOf = (isCounted: boolean): string[] =>
    markets.filter((market) => (market.countsContracts ?? false) === isCounted).map(({ id }) => id);
  const counted = idsOf(true);
  // a name that a pair and a contract share (Gate) stands in the rule that bounds every unit
  const pairs = idsOf(false).filter((id) => !counted.includes(id));
  // Kraken's orders name a market otherwise than its list of markets does
  const symbols = venueId === 'kraken' ? [...pairs, 'XBTUSD'] : pairs;
  const looking: RuleConditions = { operationClasses: ['read', 'cancel'] };
  const trading = { operationClasses: ['trade'] as const };
  if (venueId === 'coinbase_advanced') return [looking, trading];
  const sizes = { amount: { max: '10' }, quoteAmount: { max: '100000' } };
  return [
    looking,
    { ...trading, symbols, ...sizes },
    ...(counted.length === 0
      ? []
      : [{ ...trading, symbols: counted, ...sizes, contracts: { max: '100000' } }]),
  ];
}

/** `isWanted`: which cases are run; all when absent. */
export async function runSweep(
  ccxt: CcxtModule,
  desks: readonly Desk[] = DESKS,
  isWanted: (sweepCase: SweepCase, index: number) => boolean = () => true,
): Promise<Swept> {
  let cases = 0;
  const requests: SweptRequest[] = [];
  for (const desk of desks) {
    const sent: SentRequest[] = [];
    const exchange = openOffline(ccxt, desk, sent);
    const all = [...unifiedCases(desk, exchange), ...implicitCases(desk, exchange)];
    const wanted = all.filter(isWanted);
    const judge = judgeOf(desk);
    const seen = new Set<string>();
    for (const sweepCase of wanted) {
      sent.length = 0;
      await runCase(sweepCase, exchange);
      for (const one of sent) {
        const request = unsignedOf(desk.venueId, one);
        if (request === undefined || seen.has(shapeOf(request))) continue;
        seen.add(shapeOf(request));
        requests.push(judge(sweepCase, request));
      }
    }
    cases += wanted.length;
  }
  return { cases, requests };
}

/** What ccxt makes of the empty answer does not matter. */
async function runCase(sweepCase: SweepCase, exchange: OfflineExchange): Promise<void> {
  try {
    await sweepCase.run(exchange);
  } catch {
    // it has sent what it would, or nothing
  }
}

function judgeOf(desk: Desk): (sweepCase: SweepCase, request: VenueRequest) => SweptRequest {
  const state = stateWith(deskConditions(desk));
  const { venueId, keyType } = desk;
  return ({ exchange, method, label, said }, request) => {
    const { refusal, ...judged } = judgeRequest(state, venueId, request, keyType);
    const isHandedOn = refusal?.why === 'parameter' && said.includes(strangerIn(refusal.text));
    const why = isHandedOn ? { refusal: { ...refusal, why: 'handed on' as const } } : { refusal };
    return { exchange, venueId, method, label, request, ...judged, ...(refusal && why) };
  };
}

/** The parameter that a refusal names, without what stands in brackets behind it. */
function strangerIn(text: string): string {
  return /takes no parameter "([^"[]*)/.exec(text)?.[1] ?? '';
}

/** The request with every identifier that is made at random, and every clock, as one. */
function shapeOf({ method, path, query, body }: VenueRequest): string {
  return [method, path, query, body]
    .join(' ')
    .replaceAll(/[0-9A-Za-z_-]{16,}/g, (word) => (/\d/.test(word) ? '*' : word))
    .replaceAll(/\d{9,}/g, '*');
}
