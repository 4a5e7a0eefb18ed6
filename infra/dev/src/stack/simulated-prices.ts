/** Prices for trying things out: a file that a relay reads as a source, and that moves a little all the time. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** By asset, in USD. */
export type SimulatedPrices = Readonly<Record<string, string>>;

/** Where they begin: round numbers, so that nobody takes them for real ones. */
export const FIRST_PRICES: SimulatedPrices = {
  BTC: '100000',
  ETH: '4000',
  SOL: '200',
  USDT: '1',
  USDC: '1',
  EUR: '1.1',
};

/** What nobody expects to move stays where it is. */
const STEADY: readonly string[] = ['USDT', 'USDC'];
const STEP = 0.001;
const DIGITS = 6;

/** Each a step of at most a thousandth up or down. `random`: in [0, 1). */
export function movedPrices(prices: SimulatedPrices, random: () => number): SimulatedPrices {
  const moved = Object.entries(prices).map(([asset, price]) => {
    const factor = STEADY.includes(asset) ? 1 : 1 + (2 * random() - 1) * STEP;
    return [asset, factor === 1 ? price : (Number(price) * factor).toFixed(DIGITS)];
  });
  return Object.fromEntries(moved) as SimulatedPrices;
}

export function readSimulatedPrices(file: string): SimulatedPrices {
  return JSON.parse(readFileSync(file, 'utf8')) as SimulatedPrices;
}

/** Under its name there is never a part of it. */
export function writeSimulatedPrices(file: string, prices: SimulatedPrices): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(prices, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** What somebody writes into the file meanwhile is where it goes on from. Returns what stops it. */
export function keepPricesMoving(
  file: string,
  everyMs: number,
  complain: (error: unknown) => void,
): () => void {
  const timer = setInterval(() => {
    try {
      writeSimulatedPrices(file, movedPrices(readSimulatedPrices(file), Math.random));
    } catch (error) {
      complain(error); // a file that is being edited
    }
  }, everyMs);
  return () => clearInterval(timer);
}
