import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { PartyNumber } from '@countersign/core/parties.js';
import { createCeremonyInbox, createCeremonyInboxes } from './ceremony-inbox.js';

const bytes = (text: string) => Buffer.from(text);

/** What a wait comes to when nothing more happens. */
async function failureOf(promise: Promise<unknown>): Promise<string> {
  const [result] = await Promise.all([
    Promise.allSettled([promise]),
    jest.advanceTimersByTimeAsync(10_001),
  ]);
  return result[0].status === 'rejected' ? String(result[0].reason) : 'none';
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('the inbox of a run', () => {
  it('gives both packages of a round, whether they came before or after it was asked', async () => {
    const inbox = createCeremonyInbox(1);
    inbox.put('round1', 2, bytes('two'));
    const collected = inbox.collect('round1');
    inbox.put('round1', 3, bytes('three'));
    expect(new Map(await collected)).toEqual(
      new Map([
        [2, bytes('two')],
        [3, bytes('three')],
      ]),
    );
  });

  it("gives one party's message, whether it came before or after it was asked", async () => {
    const inbox = createCeremonyInbox(2);
    inbox.put('trial', 3, bytes('before'));
    expect(await inbox.receive('trial', 3)).toEqual(bytes('before'));
    const asked = inbox.receive('trial', 1);
    inbox.put('trial', 3, bytes('another party'));
    inbox.put('other', 1, bytes('another tag'));
    inbox.put('trial', 1, bytes('after'));
    expect(await asked).toEqual(bytes('after'));
    // what was told may be asked for again
    expect(await inbox.receive('trial', 1)).toEqual(bytes('after'));
    expect(jest.getTimerCount()).toBe(0);
  });

  it('keeps the rounds apart', async () => {
    const inbox = createCeremonyInbox(1);
    inbox.put('round2', 2, bytes('early'));
    inbox.put('round2', 3, bytes('early'));
    expect(await failureOf(inbox.collect('round1'))).toContain('round1');
    expect((await inbox.collect('round2')).size).toBe(2);
  });

  it('counts the first message of a party: a second one changes nothing', async () => {
    const inbox = createCeremonyInbox(1);
    inbox.put('round1', 2, bytes('one face'));
    inbox.put('round1', 2, bytes('another face'));
    inbox.put('round1', 3, bytes('three'));
    expect((await inbox.collect('round1')).get(2)).toEqual(bytes('one face'));
    inbox.put('round1', 2, bytes('a third face'));
    expect(await inbox.receive('round1', 2)).toEqual(bytes('one face'));
  });

  it('keeps a copy: what the sender does with its buffer afterwards is nothing to it', async () => {
    const inbox = createCeremonyInbox(1);
    const payload = bytes('two');
    inbox.put('round1', 2, payload);
    payload.fill(0);
    inbox.put('round1', 3, bytes('three'));
    expect((await inbox.collect('round1')).get(2)).toEqual(bytes('two'));
  });

  it('gives up when one party stays silent, and leaves no timer when none does', async () => {
    const inbox = createCeremonyInbox(1);
    inbox.put('round1', 2, bytes('two'));
    expect(await failureOf(inbox.collect('round1'))).toContain('did not come in time');
    inbox.put('round1', 3, bytes('too late for the first, in time for the next'));
    await inbox.collect('round1');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('says which message of which party did not come', async () => {
    const inbox = createCeremonyInbox(2);
    expect(await failureOf(inbox.receive('trial-commitment', 3))).toContain(
      'trial-commitment of party 3',
    );
  });

  it('keeps no more than 4 096 messages: a flood must not fill the memory', async () => {
    const inbox = createCeremonyInbox(1);
    for (let count = 0; count < 5_000; count++) inbox.put(`flood ${count}`, 2, bytes('x'));
    expect(await inbox.receive('flood 4095', 2)).toEqual(bytes('x'));
    expect(await failureOf(inbox.receive('flood 4096', 2))).toContain('did not come in time');
  });
});

describe('an inbox that is piped', () => {
  it('hands on what waited, in order, and then what comes', () => {
    const inbox = createCeremonyInbox(1);
    inbox.put('one', 3, bytes('a'));
    inbox.put('two messages', 2, bytes('b'));
    const heard: [PartyNumber, string, string][] = [];
    inbox.pipe((from, tag, payload) => heard.push([from, tag, Buffer.from(payload).toString()]));
    expect(heard).toEqual([
      [3, 'one', 'a'],
      [2, 'two messages', 'b'],
    ]);
    inbox.put('later', 2, bytes('c'));
    expect(heard.at(-1)).toEqual([2, 'later', 'c']);
    expect(heard).toHaveLength(3);
  });

  it('has room again for what came after a flood', () => {
    const inbox = createCeremonyInbox(1);
    for (let count = 0; count < 5_000; count++) inbox.put(`flood ${count}`, 2, bytes('x'));
    let heard = 0;
    inbox.pipe(() => (heard += 1));
    inbox.put('after', 3, bytes('y'));
    expect(heard).toBe(4_096 + 1);
  });
});

describe('the inboxes of a replica', () => {
  it('are one for each session, and a fresh one after it was dropped', async () => {
    const inboxes = createCeremonyInboxes(1, Date.now);
    inboxes.put('s', 'tag', 2, bytes('early'));
    expect(inboxes.open('s')).toBe(inboxes.open('s'));
    expect(inboxes.open('t')).not.toBe(inboxes.open('s'));
    expect(await inboxes.open('s').receive('tag', 2)).toEqual(bytes('early'));
    expect(await failureOf(inboxes.open('t').receive('tag', 2))).toContain('in time');
    inboxes.drop('s');
    expect(await failureOf(inboxes.open('s').receive('tag', 2))).toContain('in time');
  });

  it('of a party that invents sessions forget what that party said, and nothing of another', async () => {
    const inboxes = createCeremonyInboxes(1, Date.now);
    const open = inboxes.open('under way');
    inboxes.put('first', 'tag', 2, bytes('x'));
    inboxes.put('first', 'tag', 3, bytes('y'));
    for (let count = 0; count < 10_000; count++) {
      inboxes.put(`invented ${count}`, 'tag', 2, bytes('x'));
      inboxes.put('under way', `invented ${count}`, 2, bytes('x'));
    }
    expect(inboxes.open('under way')).toBe(open);
    inboxes.put('under way', 'tag', 3, bytes('heard'));
    expect(await open.receive('tag', 3)).toEqual(bytes('heard'));
    expect(await inboxes.open('first').receive('tag', 3)).toEqual(bytes('y'));
    expect(await failureOf(inboxes.open('first').receive('tag', 2))).toContain('in time');
    expect(await inboxes.open('invented 9999').receive('tag', 2)).toEqual(bytes('x'));
  });

  it('keep no more than 4 MiB of a party for runs that are not open, and for a minute', async () => {
    const inboxes = createCeremonyInboxes(1, Date.now);
    for (let count = 0; count < 5; count++) {
      inboxes.put(`s${count}`, 'tag', 2, Buffer.alloc(1_048_576));
    }
    expect(await failureOf(inboxes.open('s0').receive('tag', 2))).toContain('in time');
    expect((await inboxes.open('s1').receive('tag', 2)).length).toBe(1_048_576);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(await failureOf(inboxes.open('s2').receive('tag', 2))).toContain('in time');
  });

  it('keep no more than 4 MiB of a party for a run', async () => {
    const inboxes = createCeremonyInboxes(1, Date.now);
    inboxes.open('s');
    inboxes.put('s', 'huge', 2, Buffer.alloc(4_194_304));
    inboxes.put('s', 'more', 2, bytes('x'));
    inboxes.put('s', 'more', 3, bytes('x'));
    expect(await inboxes.open('s').receive('more', 3)).toEqual(bytes('x'));
    expect((await inboxes.open('s').receive('huge', 2)).length).toBe(4_194_304);
    expect(await failureOf(inboxes.open('s').receive('more', 2))).toContain('in time');
  });

  it("keep no more of one party than 4 MiB for all runs that nobody opened, and another's beside it", async () => {
    const inboxes = createCeremonyInboxes(1, Date.now);
    for (let count = 0; count < 16_050; count++) {
      inboxes.put(`invented ${count % 60}`, `tag ${count}`, 3, Buffer.alloc(16_384));
    }
    inboxes.put('called', 'start', 2, bytes('of an honest party'));
    for (let count = 0; count < 100; count++) inboxes.put(`more ${count}`, 'start', 3, bytes(''));
    let kept = 0;
    for (let count = 0; count < 60; count++) {
      inboxes.open(`invented ${count}`).pipe((_from, _tag, payload) => (kept += payload.length));
    }
    expect(kept).toBeLessThanOrEqual(4_194_304);
    expect(await inboxes.open('called').receive('start', 2)).toEqual(bytes('of an honest party'));
  });
});
