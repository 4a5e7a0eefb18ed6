/** Every venue that the vault can sign for. */
import { BACKPACK } from './backpack.js';
import { BINANCE } from './binance.js';
import { BITFINEX } from './bitfinex.js';
import { BITGET } from './bitget.js';
import { BYBIT } from './bybit.js';
import { COINBASE_ADVANCED } from './coinbase-advanced.js';
import { COINBASE_EXCHANGE } from './coinbase-exchange.js';
import { DERIBIT } from './deribit.js';
import { GATE } from './gate.js';
import { GEMINI } from './gemini.js';
import { KRAKEN_FUTURES } from './kraken-futures.js';
import { KRAKEN } from './kraken.js';
import { KUCOIN } from './kucoin.js';
import { OKX } from './okx.js';
import type { Venue } from './engine/venue.js';

export const VENUES: readonly Venue[] = [
  BINANCE,
  BYBIT,
  OKX,
  KRAKEN,
  KRAKEN_FUTURES,
  COINBASE_ADVANCED,
  COINBASE_EXCHANGE,
  DERIBIT,
  BITFINEX,
  GATE,
  KUCOIN,
  BITGET,
  GEMINI,
  BACKPACK,
];

const VENUES_BY_ID = new Map(VENUES.map((venue) => [venue.id, venue]));

export function findVenue(id: string): Venue | undefined {
  return VENUES_BY_ID.get(id);
}
