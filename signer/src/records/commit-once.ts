/** Commits a group of entries although some of its requests may be known already. */
import type { KnownRequest, RecordEntry } from './record-entry.js';

export interface RequestTables {
  /**
   * Writes all entries, or none and resolves with the reason: one of their requests is known. Rejects when the entries
   * cannot be committed for another reason.
   */
  insert(entries: readonly RecordEntry[]): Promise<Error | undefined>;
  /** What is known of the entries' requests, by id, where anything is. */
  findKnown(entries: readonly RecordEntry[]): Promise<ReadonlyMap<string, KnownRequest>>;
}

/**
 * Returns for each entry, in order, undefined when it was written, otherwise what is known of its request. Rejects when
 * an entry could not be written and nothing that is known says why.
 */
export async function commitOnce(
  tables: RequestTables,
  entries: readonly RecordEntry[],
): Promise<(KnownRequest | undefined)[]> {
  if (await insertAll(tables, entries)) return entries.map(() => undefined);
  // some of these requests are known: they get their answer, and the others are written
  const known = await tables.findKnown(entries.filter(isClaim));
  const answers = entries.map((entry) => reasonIn(known, entry));
  const fresh = entries.filter((_, index) => answers[index] === undefined);
  if (await insertAll(tables, fresh)) return answers;
  // another replica or lead came in between, or a request is here twice: each is written by itself
  for (const [index, entry] of entries.entries()) {
    if (answers[index] === undefined) answers[index] = await commitOne(tables, entry);
  }
  return answers;
}

/** Whether all were written; otherwise none was. */
async function insertAll(tables: RequestTables, entries: readonly RecordEntry[]): Promise<boolean> {
  const ids = entries.filter(isClaim).map(({ record }) => record.requestId);
  if (new Set(ids).size !== ids.length) return false;
  return (await tables.insert(entries)) === undefined;
}

async function commitOne(
  tables: RequestTables,
  entry: RecordEntry,
): Promise<KnownRequest | undefined> {
  const fault = await tables.insert([entry]);
  if (fault === undefined) return undefined;
  const known = reasonIn(await tables.findKnown([entry].filter(isClaim)), entry);
  if (known === undefined) throw fault;
  return known;
}

/** Whether the entry has a message or a result, which a request must not get twice. */
function isClaim({ message, result }: RecordEntry): boolean {
  return message !== undefined || result !== undefined;
}

/** Returns what stands in the entry's way. */
function reasonIn(
  known: ReadonlyMap<string, KnownRequest>,
  entry: RecordEntry,
): KnownRequest | undefined {
  const found = known.get(entry.record.requestId);
  if (found === undefined) return undefined;
  const isMessageKnown = entry.message !== undefined && found.message !== undefined;
  const isResultKnown = entry.result !== undefined && found.results.length > 0;
  return isMessageKnown || (isResultKnown && entry.isBesideOthers !== true) ? found : undefined;
}
