/** Records release zero's ledger, once: `RECORD_LEDGER=1 npx jest test/ledger/recorded-ledger.test.ts`. */
import { writeFileSync } from 'node:fs';
import { testSecret } from './ledger-builder.ts';
import { RECORDED_FILE, refold, type RecordedLedger } from './recorded-rows.ts';
import { tellReleaseZeroStory } from './release-zero-story.ts';

/** Throws where it was recorded: what is recorded is never recorded anew. */
export function recordLedger(): void {
  const { rows, keys } = tellReleaseZeroStory();
  const { entries, ...about }: RecordedLedger = {
    about: 'Test values: every key in here is published and protects nothing.',
    evidence_key: testSecret('evidence key').toString('base64'),
    entries: refold(rows, keys).rows,
  };
  const lines = entries.map((entry) => JSON.stringify(entry)).join(',\n');
  const head = JSON.stringify(about).slice(0, -1);
  writeFileSync(RECORDED_FILE, `${head},"entries":[\n${lines}\n]}\n`, { flag: 'wx' });
}
