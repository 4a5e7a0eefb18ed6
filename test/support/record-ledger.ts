/** Records the ledgers of stories, once: `RECORD_LEDGER=1 npx jest test/ledger/recorded-ledger.test.ts`. */
import { existsSync, writeFileSync } from 'node:fs';
import { testSecret, type LedgerBuilder } from './ledger-builder.ts';
import { refold, type RecordedLedger } from './recorded-rows.ts';

/** Leaves what is recorded: it is never recorded anew. */
export function recordLedger(file: URL, tellStory: () => LedgerBuilder): void {
  if (existsSync(file)) return;
  const { rows, keys } = tellStory();
  const { entries, ...about }: RecordedLedger = {
    about: 'Test values: every key in here is published and protects nothing.',
    evidence_key: testSecret('evidence key').toString('base64'),
    entries: refold(rows, keys).rows,
  };
  const lines = entries.map((entry) => JSON.stringify(entry)).join(',\n');
  const head = JSON.stringify(about).slice(0, -1);
  writeFileSync(file, `${head},"entries":[\n${lines}\n]}\n`, { flag: 'wx' });
}
