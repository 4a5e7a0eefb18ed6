/** What the records of parties and gateways have in common. */

/** Columns of a hash-chained record: one chain per writing process. */
export function recordColumns(): string {
  return ['chain_id text', 'seq bigint', 'prev_hash bytea', 'hash bytea', 'at timestamptz']
    .map((column) => `${column} NOT NULL,`)
    .join('\n');
}

/**
 * Each filter of the audit log finds its newest rows by an index, whatever else is on record. Every signature pays for them
 * twice, so none has more in it than it needs: rows of one moment are put in order when they are read. Ascending, though the
 * newest are read first: what is new then comes after its like, where a page is not split in the middle.
 */
export function filterIndexes(schema: string, table: string): string[] {
  const on = `ON ${schema}.${table}`;
  return [
    `CREATE INDEX ${table}_time ${on} (at)`,
    // with the key, since a user and a key that never met is what is asked of frequent ones
    `CREATE INDEX ${table}_actor ${on} (actor, at, key_id)`,
    `CREATE INDEX ${table}_action ${on} (action, at)`,
    `CREATE INDEX ${table}_key ${on} (key_id, at) WHERE key_id IS NOT NULL`,
    `CREATE INDEX ${table}_vault ${on} (vault_id, at) WHERE vault_id IS NOT NULL`,
    // of a refused request it is any text of any length, and an index entry has an end
    `CREATE INDEX ${table}_wallet ${on} (left(wallet_address, 200), at)
       WHERE wallet_address IS NOT NULL`,
  ];
}
