import { describe, expect, test } from '@jest/globals';
import { checkLines } from '@countersign/admin/audit/check-lines.js';
import { trustReceipts } from '@countersign/admin/audit/check-record.js';
import type { FaultName } from '@countersign/admin/audit/audit-fault.js';
import { verifyFacts, type AuditReport } from '@countersign/admin/audit/verify-facts.js';
import { entryHash } from '@countersign/core/entry-hash.js';
import { encodeCountersignature } from '@countersign/vault/ledger/write-entry.js';
import { recordHash } from '@countersign/runtime/records/record-chain.js';
import { auditedFields } from '@countersign/runtime/records/audited-record.js';
import { START } from '../support/ledger-builder.ts';
import {
  createExportBuilder,
  type ExportBuilder,
  type ExportedLine,
} from '../support/export-builder.ts';

function tellStory(): ExportBuilder {
  const story = createExportBuilder();
  story.sign(1, 2);
  story.sign(3, 1);
  story.anchor(1);
  story.anchor(2);
  const { ledger } = story;
  ledger.must(ledger.admin, 'POST', '/v1/vaults', { display_name: 'Second' });
  ledger.send(ledger.addMachine('a bot'), 'POST', '/v1/vaults', { display_name: 'refused' });
  story.sign(1, 2);
  story.record({
    writer: 'gateway',
    at: ledger.now,
    action: 'raw-sign-with-key',
    actor: ledger.admin.id,
    request_id: '11111111-1111-4111-8111-111111111111',
    err_type: 'forbidden',
    reason: 'no rule allows it',
    policy: null,
    vault_id: null,
    wallet_address: null,
    key_id: null,
  });
  return story;
}

const DAY_MS = 86_400_000;

interface VerifyingOptions {
  readonly withKey?: boolean;
  readonly knownHead?: { seq: number; hash: string };
  readonly daysLater?: number;
}

function verifyLines(
  lines: readonly ExportedLine[],
  { ledger }: ExportBuilder,
  { withKey = true, knownHead, daysLater = 0 }: VerifyingOptions = {},
): AuditReport {
  const { genesisHash, parties } = ledger.state;
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const facts = checkLines(text, trustReceipts({ genesisHash, parties }));
  const evidenceKeys = withKey ? ledger.keys : undefined;
  const now = ledger.now + daysLater * DAY_MS;
  return verifyFacts(facts, { genesisHash, parties, now, evidenceKeys, knownHead });
}

const namesOf = ({ faults }: AuditReport) =>
  [...new Set(faults.map(({ name }) => name))].toSorted();

describe('an export as the gateway gives it', () => {
  const story = tellStory();
  test('holds, in whatever order its lines come', () => {
    const lines = story.lines();
    for (const order of [lines, lines.toReversed()]) {
      expect(verifyLines(order, story)).toMatchObject({
        verified: true,
        verdicts_judged_again: true,
        entries: story.ledger.rows.length,
        waiting: 0,
        not_told_yet: 0,
        records: 7,
        receipts: 3,
        receipts_missing: { count: 0, oldest: null, newest: null },
        contributions_without_lead: [],
        faults: [],
      });
    }
  });

  test('holds without the evidence key, and the report says what was not judged', () => {
    const report = verifyLines(story.lines(), story, { withKey: false });
    expect(report).toMatchObject({ verified: true, verdicts_judged_again: false });
  });

  test('says how far the records are anchored', () => {
    const [first, second, third] = verifyLines(story.lines(), story).anchored;
    expect(first).toMatchObject({ party: 1, records: 3, not_anchored: 1 });
    expect(second).toMatchObject({ party: 2, records: 2, not_anchored: 1 });
    expect(third).toMatchObject({ party: 3, anchored_at: null, records: 1, not_anchored: 1 });
  });

  test('holds while entries wait for the parties', () => {
    const waiting = tellStory();
    const { ledger } = waiting;
    ledger.appendRow(waiting.ledger.rows[1]!.body);
    waiting.sign();
    expect(verifyLines(waiting.lines(), waiting)).toMatchObject({ verified: true, waiting: 1 });
  });

  test('says which contributions no lead has a record of', () => {
    const lone = tellStory();
    const contribution = lone.contribution(2);
    lone.record(contribution);
    const lines = lone.lines();
    lines.at(-1)!['details'].lead_record = 'none';
    expect(verifyLines(lines, lone)).toMatchObject({
      verified: true,
      contributions_without_lead: [contribution.request_id],
    });
  });

  test('is not verified where it has nothing, or nothing of the ledger', () => {
    const records = story.lines().filter(({ chain }) => chain !== 'ledger');
    expect(records).toHaveLength(7);
    for (const lines of [[], records]) {
      const report = verifyLines(lines, story);
      expect(report).toMatchObject({ verified: false, entries: 0, head: null });
      expect(report.faults).toContainEqual({
        name: 'genesis-missing',
        where: 'ledger 1',
        what: 'the export has no entry of the ledger: nothing was verified',
      });
    }
  });

  test('is not verified where its end was cut off, at whichever line', () => {
    // the newest first, as the gateway gives them: the genesis is the last
    const lines = story.lines().toReversed();
    for (let kept = 0; kept < lines.length; kept++) {
      expect(verifyLines(lines.slice(0, kept), story).verified).toBe(false);
    }
  });

  test('is refused where an entry is missing that somebody knew', () => {
    const knownHead = { seq: 10_000, hash: '00'.repeat(32) };
    const report = verifyLines(story.lines(), story, { knownHead });
    expect(namesOf(report)).toEqual(['ledger-truncated']);
    const other = verifyLines(story.lines(), story, { knownHead: { ...knownHead, seq: 3 } });
    expect(namesOf(other)).toEqual(['history-rewritten']);
  });
});

type Tamper = (lines: ExportedLine[], story: ExportBuilder) => ExportedLine[];

const isOf = (line: ExportedLine, writer: string) => line['record']?.writer === writer;
const ofLedger = (lines: ExportedLine[]) => lines.filter((line) => isOf(line, 'ledger'));
const ofParty = (lines: ExportedLine[], party: number) =>
  lines.filter((line) => isOf(line, `party_${party}`));
const without = (lines: ExportedLine[], gone: ExportedLine) =>
  lines.filter((line) => line !== gone);
const entryOf = (lines: ExportedLine[], action: string) =>
  lines.find((line) => line['action'] === action && line['outcome'] === 'allowed')!;

/** What an attacker can do who writes everything: hashes that fit. */
function rehashRecords(lines: ExportedLine[]): void {
  let previous = '00'.repeat(32);
  for (const line of lines) {
    line['prev_hash'] = previous;
    const fields = auditedFields(line['record']);
    const before = Buffer.from(previous, 'hex');
    previous = recordHash(line['chain'], line['seq'], before, fields).toString('hex');
    line['hash'] = previous;
  }
}

function rehashLedger(lines: ExportedLine[]): void {
  let previous = '00'.repeat(32);
  for (const [index, line] of lines.entries()) {
    line['seq'] = index + 1;
    line['prev_hash'] = previous;
    const body = Buffer.from(line['record'].body, 'base64');
    previous = entryHash(index + 1, Buffer.from(previous, 'hex'), body).toString('hex');
    line['hash'] = previous;
  }
}

const edited = (line: ExportedLine) => {
  const body = Buffer.from(line['record'].body, 'base64');
  body[body.length - 1]! ^= 1;
  line['record'].body = body.toString('base64');
};

/** `names`: all that are told. */
const LEDGER_TAMPERING: [what: string, names: FaultName[], Tamper][] = [
  [
    'an edited body',
    ['entry-edited'],
    (lines) => {
      edited(entryOf(lines, 'create-vault'));
      return lines;
    },
  ],
  [
    'an edited verdict',
    ['verdict-differs'],
    (lines) => {
      const line = lines.find((one) => one['outcome'] === 'denied' && isOf(one, 'ledger'))!;
      line['outcome'] = 'allowed';
      return lines;
    },
  ],
  [
    'edited details of a change',
    ['verdict-differs'],
    (lines) => {
      entryOf(lines, 'create-vault')['details'].changes = [];
      return lines;
    },
  ],
  [
    'another time of judging',
    ['countersignatures-differ'],
    (lines) => {
      entryOf(lines, 'create-vault')['time'] = '2026-01-01T00:00:00.000Z';
      return lines;
    },
  ],
  [
    'countersignatures that nobody gave',
    ['countersignatures-differ'],
    (lines) => {
      entryOf(lines, 'create-vault')['details'].countersigned[0].party = 3;
      return lines;
    },
  ],
  ['a deleted entry', ['entry-missing'], (lines) => without(lines, entryOf(lines, 'create-vault'))],
  [
    'an inserted entry',
    ['entry-repeated'],
    (lines) => [...lines, structuredClone(entryOf(lines, 'create-vault'))],
  ],
  [
    'two entries in each other’s place',
    ['entry-edited', 'entry-out-of-place'],
    (lines) => {
      const [a, b] = [ofLedger(lines)[3]!, ofLedger(lines)[4]!];
      [a['seq'], b['seq']] = [b['seq'], a['seq']];
      return lines;
    },
  ],
  [
    'an end that is cut off',
    ['ledger-truncated'],
    (lines) => {
      const ledger = ofLedger(lines);
      const anchors = ledger.filter((line) => line['action'] === 'anchor');
      const kept = new Set(ledger.slice(0, ledger.indexOf(anchors.at(-1)!) + 1));
      return lines.filter((line) => !isOf(line, 'ledger') || kept.has(line));
    },
  ],
  [
    'another genesis',
    ['genesis-forged', 'history-rewritten'],
    (lines) => {
      const ledger = ofLedger(lines);
      const genesis = Buffer.from(ledger[0]!['record'].body, 'base64').toString('latin1');
      const forged = Buffer.from(genesis.replace('Administrator', 'Adminiztrator'), 'latin1');
      ledger[0]!['record'].body = forged.toString('base64');
      rehashLedger(ledger);
      return lines;
    },
  ],
];

describe('in the ledger', () => {
  test.each(LEDGER_TAMPERING)('%s is found', (_what, names, tamper) => {
    const story = tellStory();
    const report = verifyLines(tamper(story.lines(), story), story);
    expect(report.verified).toBe(false);
    expect(namesOf(report)).toEqual(names);
  });

  test('without the evidence key all is found but verdicts', () => {
    for (const [, names, tamper] of LEDGER_TAMPERING) {
      const story = tellStory();
      const report = verifyLines(tamper(story.lines(), story), story, { withKey: false });
      expect(namesOf(report)).toEqual(names.filter((name) => name !== 'verdict-differs'));
    }
  });

  test('a whole chain with new hashes is found: parties signed the old ones', () => {
    const story = tellStory();
    const lines = story.lines();
    const ledger = ofLedger(lines);
    const target = entryOf(lines, 'create-vault');
    const at = ledger.indexOf(target);
    edited(target);
    rehashLedger(ledger);
    const report = verifyLines(lines, story);
    expect(namesOf(report)).toEqual(
      expect.arrayContaining(['history-rewritten', 'not-countersigned']),
    );
    expect(report.faults.some(({ where }) => where === `ledger ${at + 1}`)).toBe(true);
  });

  test('a forged countersignature that is told as good is found', () => {
    const story = tellStory();
    const { ledger } = story;
    const { seq, hash } = ledger.rows.at(-1)!;
    const signature = Buffer.alloc(64, 1);
    const statement = { party: 1 as const, seq, hash, at: ledger.now, rules: 1, newestRules: 1 };
    ledger.appendRow(encodeCountersignature(ledger.now, { ...statement, signature }));
    const lines = story.lines();
    expect(verifyLines(lines, story)).toMatchObject({
      verified: true,
      refused_words: [{ name: 'statement-forged', where: `ledger ${seq + 1}` }],
    });
    ofLedger(lines).at(-1)!['outcome'] = 'allowed';
    expect(namesOf(verifyLines(lines, story))).toEqual(['statement-forged']);
  });
});

/** What is left of a line that waits. */
const placeAndRecord = ({ chain, seq, prev_hash, hash, record }: ExportedLine): ExportedLine => ({
  chain,
  seq,
  prev_hash,
  hash,
  record,
});

describe('a line that is told as waiting', () => {
  const replaced = (lines: ExportedLine[], told: (line: ExportedLine) => ExportedLine) => {
    const gone = entryOf(lines, 'create-vault');
    return [...without(lines, gone), told(gone)];
  };

  test.each([true, false])('is found where the entry was judged (evidence key: %s)', (withKey) => {
    const story = tellStory();
    const lines = replaced(story.lines(), placeAndRecord);
    const { verified, faults } = verifyLines(lines, story, { withKey });
    expect(verified).toBe(false);
    expect(faults).toEqual([
      {
        name: 'verdict-differs',
        where: `ledger ${lines.at(-1)!['seq']}`,
        what: 'it is told as waiting, and the ledger has settled it',
      },
    ]);
  });

  test.each([true, false])('is found where it tells lies (evidence key: %s)', (withKey) => {
    const story = tellStory();
    const lines = replaced(story.lines(), ({ outcome: _outcome, ...line }) => ({
      ...line,
      actor: 'somebody else',
      action: 'delete-users',
      details: { lie: true },
    }));
    expect(namesOf(verifyLines(lines, story, { withKey }))).toEqual(['verdict-differs']);
  });

  test('is found where it has more than its place and its record', () => {
    const story = tellStory();
    story.ledger.appendRow(story.ledger.rows[1]!.body);
    const lines = story.lines();
    Object.assign(ofLedger(lines).at(-1)!, { actor: 'somebody else' });
    const { faults } = verifyLines(lines, story);
    expect(faults).toMatchObject([
      { name: 'verdict-differs', where: `ledger ${story.ledger.rows.length}` },
    ]);
  });

  test('is found on every line of a ledger that tells nothing', () => {
    const story = tellStory();
    story.ledger.now += 120_000;
    story.ledger.must(story.ledger.admin, 'POST', '/v1/vaults', { display_name: 'Later' });
    const lines = story.lines().map((line) => (isOf(line, 'ledger') ? placeAndRecord(line) : line));
    const report = verifyLines(lines, story);
    expect(report.verified).toBe(false);
    expect(report.faults).toMatchObject(
      Array.from({ length: story.ledger.rows.length - 3 }, (_, index) => ({
        name: 'verdict-differs',
        where: `ledger ${index + 1}`,
      })),
    );
    expect(report.not_told_yet).toBe(3);
  });

  test('is no fault at the end, where the rows came a moment after the verdicts', () => {
    const story = tellStory();
    const lines = story.lines();
    const last = ofLedger(lines).slice(-3);
    const given = lines.map((line) => (last.includes(line) ? placeAndRecord(line) : line));
    expect(verifyLines(given, story)).toMatchObject({
      verified: true,
      waiting: 0,
      not_told_yet: 3,
    });
  });
});

describe('a line of the ledger', () => {
  test.each<[string, (line: ExportedLine) => void]>([
    ['has no details', (line) => delete line['details']],
    ['has no time', (line) => delete line['time']],
    ['has a receipt', (line) => (line['receipt'] = { request_id: 'made up' })],
    ['has a member more', (line) => (line['note'] = 'made up')],
  ])('is found where it %s', (_what, tamper) => {
    const story = tellStory();
    const lines = story.lines();
    tamper(entryOf(lines, 'create-vault'));
    expect(verifyLines(lines, story).verified).toBe(false);
  });
});

describe('an anchor', () => {
  test('that its party did not sign counts for nothing, and is named', () => {
    const story = tellStory();
    story.anchor(1, {}, 2);
    const { length } = story.ledger.rows;
    const lines = story.lines();
    const forged = { name: 'anchor-forged', where: `ledger ${length}` };
    expect(verifyLines(lines, story)).toMatchObject({ verified: true, refused_words: [forged] });
    ofLedger(lines).at(-1)!['outcome'] = 'allowed';
    expect(verifyLines(lines, story).faults).toMatchObject([forged]);
  });

  test('finds records that were rolled back to an older dump', () => {
    const story = tellStory();
    const lines = story.lines();
    const [, last] = ofParty(lines, 1);
    const gone = lines.filter((line) => !isOf(line, 'party_1') || line['seq'] < last!['seq']);
    expect(namesOf(verifyLines(gone, story))).toContain('anchored-record-missing');
  });

  test('finds a chain that was rewritten with new hashes', () => {
    const story = tellStory();
    const lines = story.lines();
    const chain = ofParty(lines, 2);
    chain[0]!['record'].actor = '22222222-2222-4222-8222-222222222222';
    chain[0]!['actor'] = chain[0]!['record'].actor;
    rehashRecords(chain);
    expect(namesOf(verifyLines(lines, story))).toEqual(['anchored-record-changed']);
  });
});

const RECORD_TAMPERING: [what: string, names: FaultName[], Tamper][] = [
  [
    'an edited field',
    ['record-edited'],
    (lines) => {
      const line = lines.at(-1)!;
      line['record'].reason = 'another';
      line['details'].reason = 'another';
      return lines;
    },
  ],
  [
    'a line that tells something else than its record',
    ['record-edited'],
    (lines) => {
      lines.at(-1)!['outcome'] = 'allowed';
      return lines;
    },
  ],
  ['a deleted record', ['record-missing'], (lines) => without(lines, ofParty(lines, 1)[1]!)],
  [
    'an inserted record',
    ['record-repeated'],
    (lines) => [...lines, structuredClone(lines.at(-1)!)],
  ],
  [
    'two records in each other’s place',
    ['record-edited', 'record-out-of-place'],
    (lines) => {
      const [a, b] = [ofParty(lines, 2)[0]!, ofParty(lines, 2)[1]!];
      [a['seq'], b['seq']] = [b['seq'], a['seq']];
      return lines;
    },
  ],
  [
    'a signature without its receipt',
    ['receipt-missing'],
    (lines) => {
      delete lines.find((line) => line['receipt'] !== undefined)!['receipt'];
      return lines;
    },
  ],
  [
    'a receipt that was changed',
    ['receipt-forged'],
    (lines) => {
      lines.find((line) => line['receipt'] !== undefined)!['receipt'].rules_version = 2;
      return lines;
    },
  ],
  [
    'a receipt of another signature',
    ['receipt-differs'],
    (lines) => {
      const [a, b] = lines.filter((line) => line['receipt'] !== undefined);
      a!['receipt'] = b!['receipt'];
      return lines;
    },
  ],
  [
    'a receipt of what was not signed',
    ['receipt-differs'],
    (lines) => {
      const { receipt } = lines.find((line) => line['receipt'] !== undefined)!;
      lines.find((line) => line['record'].outcome === 'contributed')!['receipt'] = receipt;
      return lines;
    },
  ],
  [
    'a signature told as without a lead whose record is there',
    ['record-edited'],
    (lines) => {
      const line = lines.find((one) => one['record'].outcome === 'contributed')!;
      line['details'].lead_record = 'none';
      return lines;
    },
  ],
  [
    'a lead told as without a lead',
    ['record-edited'],
    (lines) => {
      const line = lines.find((one) => one['record'].outcome === 'signed')!;
      line['details'].lead_record = 'none';
      return lines;
    },
  ],
  [
    'a line that is none',
    ['line-unreadable', 'record-missing'],
    (lines) => {
      delete ofParty(lines, 2)[0]!['record'];
      return lines;
    },
  ],
];

describe('receipts that are missing', () => {
  /** Three signatures, days apart, of which these have lost their receipt. */
  function withoutReceipts(...lost: number[]) {
    const story = createExportBuilder();
    const { ledger } = story;
    const times = [0, 10, 20].map((days) => {
      ledger.now = START + days * DAY_MS;
      story.sign(1, 2);
      return new Date(ledger.now).toISOString();
    });
    const signed = (lines: ExportedLine[]) =>
      lines.filter((line) => line['record'].outcome === 'signed');
    const lines = story.lines();
    for (const index of lost) delete signed(lines)[index]!['receipt'];
    return { story, lines, times };
  }

  test('are counted where old requests may have been removed', () => {
    const { story, lines, times } = withoutReceipts(0, 1);
    expect(verifyLines(lines, story, { daysLater: 30 })).toMatchObject({
      verified: true,
      faults: [],
      receipts: 1,
      receipts_missing: { count: 2, oldest: times[0], newest: times[1] },
    });
  });

  test('are a fault where they are too young to have been removed', () => {
    const { story, lines } = withoutReceipts(0, 1);
    const report = verifyLines(lines, story, { daysLater: 19 });
    expect(report).toMatchObject({ verified: false, receipts_missing: { count: 1 } });
    expect(report.faults).toMatchObject([
      { name: 'receipt-missing', where: 'party_1 party_1-a-boot 2' },
    ]);
  });

  test('are a fault where an older one is there: what is older goes first', () => {
    const { story, lines } = withoutReceipts(1);
    const report = verifyLines(lines, story, { daysLater: 400 });
    expect(namesOf(report)).toEqual(['receipt-missing']);
    expect(report.receipts_missing.count).toBe(0);
  });

  test('push no other fault out of the report, however many', () => {
    const story = createExportBuilder();
    for (let count = 0; count < 1_001; count++) story.sign(1, 2);
    const lines = story.lines().map(({ receipt: _receipt, ...line }) => line as ExportedLine);
    lines.find((line) => isOf(line, 'ledger'))!['actor'] = 'somebody else';
    const report = verifyLines(lines, story);
    expect(namesOf(report)).toEqual(['receipt-missing', 'verdict-differs']);
    expect(report).toMatchObject({ more_faults: 1, faults: { length: 1_001 } });
  });
});

describe('in the records', () => {
  test.each(RECORD_TAMPERING)('%s is found', (_what, names, tamper) => {
    const story = tellStory();
    const report = verifyLines(tamper(story.lines(), story), story);
    expect(namesOf(report)).toEqual(expect.arrayContaining(names));
  });

  test('a record of a party without its partner’s is found', () => {
    const story = createExportBuilder();
    story.sign(1, 2);
    const lines = story.lines().filter((line) => !isOf(line, 'party_2'));
    expect(namesOf(verifyLines(lines, story))).toEqual(['partner-record-missing']);
  });

  test('two records of one signature that say different things are found', () => {
    const story = createExportBuilder();
    story.sign(1, 2);
    const lines = story.lines();
    const [line] = ofParty(lines, 2);
    line!['record'].message_sha256 = '11'.repeat(32);
    line!['details'].message_sha256 = '11'.repeat(32);
    rehashRecords([line!]);
    expect(namesOf(verifyLines(lines, story))).toEqual(['records-disagree']);
  });

  test('a request that another pair led again, to the same message, is no fault', () => {
    const story = createExportBuilder();
    const { request_id, message_sha256 } = story.sign(1, 2);
    story.sign(2, 3, { request_id, message_sha256 });
    story.sign(1, 3, { request_id, message_sha256 });
    expect(verifyLines(story.lines(), story)).toMatchObject({
      verified: true,
      receipts: 3,
      faults: [],
    });
  });

  test.each([
    [1, 2],
    [2, 3],
    [3, 1],
  ] as const)('two messages of one request, signed by %i and %i, are found', (lead, partner) => {
    const story = createExportBuilder();
    const { request_id } = story.sign(1, 2);
    story.sign(lead, partner, { request_id });
    const { faults } = verifyLines(story.lines(), story);
    expect(faults).toMatchObject([
      { name: 'two-messages', where: expect.stringContaining(`party_${lead}-a-boot`) },
    ]);
    expect(faults[0]!.what).toBe(`another message of request ${request_id} was signed`);
  });

  test('two messages of one request to which one party gave its part are found', () => {
    const story = createExportBuilder();
    const { request_id } = story.sign(1, 2);
    story.record({ ...story.contribution(2), request_id });
    expect(verifyLines(story.lines(), story).faults).toMatchObject([
      { name: 'two-messages', where: 'party_2 party_2-a-boot 2' },
    ]);
  });

  test('a part that came to nothing, of a party that took no part in the signature, is no fault', () => {
    const story = createExportBuilder();
    const { request_id } = story.sign(1, 2);
    story.record({ ...story.contribution(3), request_id });
    expect(verifyLines(story.lines(), story)).toMatchObject({ verified: true, faults: [] });
  });

  test('a rule that was no longer in force is found, with the evidence key', () => {
    const story = createExportBuilder();
    const { ledger } = story;
    const [policyId] = ledger.state.signingPolicies.rows.keys();
    ledger.must(ledger.admin, 'DELETE', `/v1/signing-policies/${policyId}`);
    story.sign(1, 2);
    expect(namesOf(verifyLines(story.lines(), story))).toEqual(['rule-not-in-force']);
    expect(verifyLines(story.lines(), story, { withKey: false }).verified).toBe(true);
  });
});
