import { readExport } from './read-export.js';
import { verifyFacts, type AuditReport, type VerifyOptions } from './verify-facts.js';

/** Verifies an export (application/jsonl, without filters) offline. Throws when the file cannot be read. */
export async function verifyExport(path: string, options: VerifyOptions): Promise<AuditReport> {
  const { genesisHash, parties } = options;
  return verifyFacts(await readExport(path, { genesisHash, parties }), options);
}
