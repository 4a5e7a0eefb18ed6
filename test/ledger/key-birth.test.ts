import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createLedgerBuilder, type LedgerBuilder } from '../support/ledger-builder.ts';
import { makeVenueKey } from '../support/venue-reading-key.ts';
import { venueOfKey, type ShownEntry } from '@countersign/core/key-birth.js';

/** The entry of the ledger at this place, or the newest request. */
function entryOf({ rows, outcomes }: LedgerBuilder, seq = newestRequest(outcomes)): ShownEntry {
  const row = rows[seq - 1]!;
  return {
    seq: row.seq,
    prev_hash: Buffer.from(row.prevHash).toString('hex'),
    body: Buffer.from(row.body).toString('base64'),
  };
}

function newestRequest(outcomes: LedgerBuilder['outcomes']): number {
  return outcomes.findLast(({ kind }) => kind === 'evidence')!.seq;
}

const ledger = createLedgerBuilder();
const post = (path: string, body: object) => ledger.must(ledger.admin, 'POST', path, body);
const named = { type: 'ed25519', display_name: 'Key' };

const venueKey = post('/v1/keys', { ...named, venue_id: 'binance', venue_api_key: 'k' });
const venueEntry = entryOf(ledger);
const plainKey = post('/v1/keys', named);
const plainEntry = entryOf(ledger);
const keys = [named, { ...named, venue_id: 'backpack' }];
ledger.must(ledger.admin, 'POST', '/v1/keys/bulk', { keys });
const many = ledger.outcomes.findLast(({ kind }) => kind === 'evidence')!.subject!.resourceIds;
const manyEntry = entryOf(ledger);

describe('the entry that made a key says at which venue it is good', () => {
  it('for a generated key, one without a venue, and many at once', () => {
    expect(venueOfKey(venueKey, venueEntry)).toBe('binance');
    expect(venueOfKey(plainKey, plainEntry)).toBeNull();
    expect(many.map((id) => venueOfKey(id, manyEntry))).toEqual([null, 'backpack']);
  });

  it('for an imported key', () => {
    const before = ledger.rows.length;
    const { keyId } = makeVenueKey(ledger, 'bybit', [
      {
        display_name: 'read',
        when: { operation_classes: ['read'], initiators: 'anyone' },
        then: 'allow',
      },
    ]);
    const entries = ledger.rows.slice(before).map(({ seq }) => entryOf(ledger, seq));
    const venues = entries.map((entry) => venueOfKey(keyId, entry));
    expect(venues.filter((venue) => venue !== undefined)).toEqual(['bybit']);
  });

  it('and another entry, or this one changed by a byte, says nothing of it', () => {
    expect(venueOfKey(venueKey, plainEntry)).toBeUndefined();
    expect(venueOfKey(plainKey, venueEntry)).toBeUndefined();
    expect(venueOfKey(venueKey, { ...venueEntry, seq: venueEntry.seq + 1 })).toBeUndefined();
    const prev_hash = plainEntry.prev_hash;
    expect(venueOfKey(venueKey, { ...venueEntry, prev_hash })).toBeUndefined();
    const body = Buffer.from(venueEntry.body, 'base64');
    const other = body.indexOf('binance');
    body.write('kraken1', other);
    expect(venueOfKey(venueKey, { ...venueEntry, body: body.toString('base64') })).toBeUndefined();
  });

  it('and what is no entry says nothing', () => {
    for (const body of ['', '!', randomBytes(80).toString('base64')]) {
      expect(venueOfKey(venueKey, { ...venueEntry, body })).toBeUndefined();
    }
    expect(venueOfKey(venueKey, { ...venueEntry, prev_hash: 'zz' })).toBeUndefined();
  });

  it('and shows what was asked for, but not the credential of whoever asked', () => {
    const body = Buffer.from(venueEntry.body, 'base64');
    expect(
      body.includes(JSON.stringify({ venue_id: 'binance', venue_api_key: 'k' }).slice(1)),
    ).toBe(true);
    expect(body.includes(ledger.admin.apiKey)).toBe(false);
  });
});
