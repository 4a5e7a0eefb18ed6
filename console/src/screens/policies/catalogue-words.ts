/** What a rule can name out of the catalogues of this vault. */
import type { OperationValue } from '@countersign/client/operation-calls.js';

type Catalogue = OperationValue<'get-system-info'>;

/** By the condition's name: the words, and what each is called. */
export type CatalogueWords = Readonly<Record<string, ReadonlyMap<string, string>>>;

export function catalogueWords(catalogue: Catalogue | undefined): CatalogueWords {
  if (catalogue === undefined) return {};
  const { supported_venues: venues, supported_blockchain_networks: families } = catalogue;
  const networks = families.flatMap((family) => family.networks);
  const assets = networks.flatMap((network) =>
    network.assets.map(({ id, symbol }) => [id, `${symbol} on ${network.display_name}`] as const),
  );
  const named = (rows: readonly { readonly id: string; readonly display_name: string }[]) =>
    new Map(rows.map(({ id, display_name: name }) => [id, name]));
  return { venue_ids: named(venues), networks: named(networks), assets: new Map(assets) };
}

/** The list with one more word, which stands in it once. */
export function withWord(text: string | undefined, word: string): string {
  const words = (text ?? '').split('\n').filter((line) => line.trim() !== '');
  return [...words.filter((line) => line.trim() !== word), word].join('\n');
}
