/** What a gateway remembers of a ledger is the same after a start, whatever the ledger holds. */
import { describe, expect, it } from '@jest/globals';
import { ledgerEntryView } from '@countersign/vault/audit/ledger-entry-view.js';
import { findRowChanges } from '@countersign/vault/audit/row-changes.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import { createJournal, type Journal } from '../../gateway/dist/govern/journal.js';
import { recordedRows } from '../support/recorded-rows.ts';

function recordedJournal(): Journal {
  const { rows, keys } = recordedRows();
  const journal = createJournal();
  journal.append(createFold({ keys, findChanges: findRowChanges }).advance(rows));
  return journal;
}

/** As a file gives it back. */
const asText = (journal: Journal) =>
  [...journal.save()].map((value) => JSON.parse(JSON.stringify(value)) as unknown);

function restarted(kept: readonly unknown[]): Journal {
  const journal = createJournal();
  const take = journal.load(kept);
  expect(journal.entries).toEqual([]);
  take();
  return journal;
}

describe('of the recorded ledger', () => {
  const journal = recordedJournal();

  it('every outcome is the same, with the very operation that it was judged by', () => {
    const { entries } = restarted(asText(journal));
    expect(entries.length).toBeGreaterThan(40);
    for (const [index, entry] of journal.entries.entries()) {
      expect(entries[index]).toEqual(entry);
      expect(entries[index]!.operation).toBe(entry.operation);
      expect(ledgerEntryView(entries[index]!)).toEqual(ledgerEntryView(entry));
      expect(JSON.stringify(entries[index]!.changes)).toBe(JSON.stringify(entry.changes));
      entry.decided?.forEach(({ operation }, at) =>
        expect(entries[index]!.decided![at]!.operation).toBe(operation),
      );
    }
  });

  it('the same is found by requests and by keys', () => {
    const again = restarted(asText(journal));
    for (const { requestId = '', subject } of journal.entries) {
      expect(again.findByRequestId(requestId)?.seq).toBe(journal.findByRequestId(requestId)?.seq);
      for (const id of subject?.keyIds ?? []) {
        expect(again.findByKeyId(id)?.seq).toBe(journal.findByKeyId(id)?.seq);
      }
    }
  });
});

it('what is kept is what there was when it was asked for', () => {
  const journal = recordedJournal();
  const seqs = journal.entries.length;
  const kept = journal.save();
  journal.append([journal.entries[0]!]);
  expect(restarted([...kept]).entries).toHaveLength(seqs);
});

it('an operation that this release does not have is not read', () => {
  const text = JSON.stringify(asText(recordedJournal()));
  const kept = JSON.parse(text.replaceAll('/create-vault"', '/create-vaults"')) as unknown[];
  expect(() => createJournal().load(kept)).toThrow(/^there is no operation 1\/create-vaults$/);
});
