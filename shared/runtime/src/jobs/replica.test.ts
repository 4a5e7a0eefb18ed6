import { describe, expect, it } from '@jest/globals';
import { ByteReader, ByteWriter } from '@countersign/core/bytes.js';
import { SPOKEN } from './protocol.js';
import {
  isSameReplica,
  isOfUse,
  parsePresence,
  presenceEntry,
  presenceMessage,
  readReplica,
  startReplica,
  writeReplica,
} from './replica.js';

const replica = startReplica(2, 'eu-west-1');
const NOW = 1_767_614_400_000;

describe('a replica', () => {
  it('is another after each start', () => {
    const restarted = startReplica(2, 'eu-west-1');
    expect(isSameReplica(replica, { ...replica })).toBe(true);
    expect(isSameReplica(replica, restarted)).toBe(false);
    expect(isSameReplica(replica, { ...replica, party: 3 })).toBe(false);
    expect(isSameReplica(replica, { ...replica, name: 'b' })).toBe(false);
  });

  it('is read back as it was written', () => {
    const reader = new ByteReader(writeReplica(new ByteWriter(), replica).bytes());
    expect(readReplica(reader)).toEqual(replica);
    reader.end();
  });

  it('of a name that none can have is refused, however long', () => {
    for (const name of ['', 'a b', 'x'.repeat(65), 'x'.repeat(1_000_000), 'ä']) {
      const bytes = writeReplica(new ByteWriter(), { ...replica, name }).bytes();
      expect(() => readReplica(new ByteReader(bytes))).toThrow('not a name');
    }
  });

  it('of a party that does not exist is refused', () => {
    const bytes = writeReplica(new ByteWriter(), replica).bytes();
    for (const party of [0, 4, 255]) {
      bytes[0] = party;
      expect(() => readReplica(new ByteReader(bytes))).toThrow('unknown party');
    }
  });
});

describe('a presence', () => {
  it('is read back as it was announced', () => {
    for (const isPrimary of [true, false]) {
      const entry = presenceEntry(replica, NOW, isPrimary);
      expect(parsePresence(...entry)).toEqual({ replica, seenAt: NOW, isPrimary, spoken: SPOKEN });
    }
  });

  it('keeps the signature of its party, over what is said of it and nothing else', () => {
    const signature = Buffer.alloc(64, 0xfb);
    for (const isPrimary of [true, false]) {
      const entry = presenceEntry(replica, NOW, isPrimary, signature);
      expect(parsePresence(...entry)).toEqual({
        ...{ replica, seenAt: NOW, isPrimary, signature },
        spoken: SPOKEN,
      });
    }
    const messages = [
      presenceMessage(replica, true, 'genesis'),
      presenceMessage(replica, false, 'genesis'),
      presenceMessage(replica, true, 'another'),
      presenceMessage({ ...replica, party: 3 }, true, 'genesis'),
      presenceMessage({ ...replica, name: 'other' }, true, 'genesis'),
      presenceMessage({ ...replica, boot: '00'.repeat(16) }, true, 'genesis'),
      presenceMessage(replica, true, 'genesis', { oldest: 1, newest: 3 }),
      presenceMessage(replica, true, 'genesis', { oldest: 2, newest: 2 }),
    ];
    expect(new Set(messages.map((message) => message.toString('hex'))).size).toBe(8);
  });

  it.each(['cannot_pin', 'cannot_record'] as const)(
    'says what keeps it from its work: %s',
    (trouble) => {
      for (const signature of [undefined, Buffer.alloc(64, 0xfb)]) {
        const entry = presenceEntry(replica, NOW, true, signature, { trouble });
        const isPrimary = true;
        expect(parsePresence(...entry)).toEqual({
          replica,
          seenAt: NOW,
          isPrimary,
          spoken: SPOKEN,
          trouble,
          signature,
        });
        expect(isOfUse({ trouble })).toBe(false);
      }
      expect(isOfUse({ trouble: undefined })).toBe(true);
    },
  );

  it('offers the versions of the protocol that it speaks', () => {
    const spoken = { oldest: 3, newest: 255 };
    const entry = presenceEntry(replica, NOW, true, undefined, { spoken });
    expect(parsePresence(...entry)).toMatchObject({ spoken });
  });

  it('has one entry per name, whatever the boot, primary replica or not', () => {
    const [field] = presenceEntry(replica, NOW, false);
    expect(presenceEntry(startReplica(2, 'eu-west-1'), NOW, true)[0]).toBe(field);
  });

  it.each([
    ['4:a', `${replica.boot} 1 1-1`],
    ['2:', `${replica.boot} 1 1-1`],
    ['2', `${replica.boot} 1 1-1`],
    ['2:a:b', `${replica.boot} 1 1-1`],
    [`2:${'a'.repeat(65)}`, `${replica.boot} 1 1-1`],
    ['2:a', String(NOW)],
    ['2:a', `${replica.boot}  1-1`],
    ['2:a', `${replica.boot} 1e9 1-1`],
    ['2:a', `${replica.boot} -1 1-1`],
    ['2:a', `${replica.boot} 1 1-1 `],
    ['2:a', `${replica.boot} 1 1-1 primaries`],
    ['2:a', `${replica.boot} 1 1-1primary`],
    ['2:a', `${replica.boot} 1 1-1 cannot_sing`],
    ['2:a', `${replica.boot} 1 1-1 cannot_pin primary`],
    ['2:a', `${replica.boot} 1 1-1 ${'A'.repeat(85)}`],
    ['2:a', `${replica.boot} 1 1-1 ${'A'.repeat(86)} primary`],
    ['2:a', `${replica.boot.toUpperCase()}f 1 1-1`],
    ['2:a', `${replica.boot} 1`],
    ['2:a', `${replica.boot} 1 0-1`],
    ['2:a', `${replica.boot} 1 2-1`],
    ['2:a', `${replica.boot} 1 1-256`],
    ['2:a', `${replica.boot} 1 1-1000`],
    ['2:a', `${replica.boot} 1 1`],
    ['2:a', `${replica.boot.slice(1)} 1 1-1`],
  ])('that no party writes is none: %s = %s', (field, value) => {
    expect(parsePresence(field, value)).toBeUndefined();
  });
});
