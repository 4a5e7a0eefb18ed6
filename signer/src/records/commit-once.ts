/** How a group of entries is committed although some of its requests may have a result already. */
import type { EarlierResult, RecordEntry } from './record-entry.js';

export interface ResultTable {
  /**
   * Writes all entries, or none of them: then it resolves with the violation, because a request of theirs
   * has a result. Rejects when the entries cannot be committed for another reason.
   */
  insert(entries: readonly RecordEntry[]): Promise<Error | undefined>;
  /** By request id; without those that have no result. */
  findEarlier(requestIds: readonly string[]): Promise<ReadonlyMap<string, EarlierResult>>;
}

/**
 * For each entry, in order: undefined when it was written, otherwise the result that its request had
 * before. Rejects when an entry could not be written and no earlier result says why.
 */
export async function commitOnce(
  table: ResultTable,
  entries: readonly RecordEntry[],
): Promise<(EarlierResult | undefined)[]> {
  if (await insertAll(table, entries)) return entries.map(() => undefined);
  // somebody recorded some of these requests before: those get their verdict, the others are written
  const earlier = await table.findEarlier(entries.flatMap(resultId));
  const verdicts = entries.map((entry) => earlier.get(resultId(entry)[0] ?? ''));
  if (
    await insertAll(
      table,
      entries.filter((_, index) => verdicts[index] === undefined),
    )
  ) {
    return verdicts;
  }
  // another lead has come in between, or a request is here twice: one by one
  for (const [index, entry] of entries.entries()) verdicts[index] ??= await commitOne(table, entry);
  return verdicts;
}

/** Whether all were written; otherwise none was. */
async function insertAll(table: ResultTable, entries: readonly RecordEntry[]): Promise<boolean> {
  const ids = entries.flatMap(resultId);
  if (new Set(ids).size !== ids.length) return false;
  return (await table.insert(entries)) === undefined;
}

async function commitOne(
  table: ResultTable,
  entry: RecordEntry,
): Promise<EarlierResult | undefined> {
  const violation = await table.insert([entry]);
  if (violation === undefined) return undefined;
  const [requestId] = resultId(entry);
  if (requestId === undefined) throw violation;
  const earlier = (await table.findEarlier([requestId])).get(requestId);
  if (earlier === undefined) throw violation;
  return earlier;
}

/** The request id of an entry that has a result: what must not come twice. */
function resultId({ record, result }: RecordEntry): string[] {
  return result === undefined ? [] : [record.requestId];
}
