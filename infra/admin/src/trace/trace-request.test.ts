import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeTrace, traceRequest } from './trace-request.js';

const ID = '0f0e9d3c-8d5a-4a77-9d56-0a2f4f2f5b11';
const OTHER = '0f0e9d3c-8d5a-4a77-9d56-0a2f4f2f5b12';

const line = (name: string, time: string, more: object) =>
  JSON.stringify({ level: 'info', time: `2026-11-26T10:00:${time}Z`, name, ...more });
const journal = (message: string, host: string) =>
  JSON.stringify({ _HOSTNAME: host, PRIORITY: '6', MESSAGE: message, __CURSOR: 's=1' });

const GATEWAY = line('gateway', '00.120', {
  event: 'signing_ended',
  request_id: ID,
  outcome: 'signed',
  parties: '1,2',
  duration_ms: 40,
});
const LEAD = line('party_1', '00.110', {
  event: 'signing_led',
  request_id: ID,
  outcome: 'signed',
  parties: '1,2',
  duration_ms: 20,
});
const PARTNER = line('party_2', '00.100', {
  event: 'signing_joined',
  request_id: ID,
  outcome: 'contributed',
  parties: '1,2',
  duration_ms: 9,
});

let folder: string;
let files: string[];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-trace-'));
  const write = (name: string, lines: readonly string[]) => {
    const file = join(folder, name);
    writeFileSync(file, lines.map((text) => `${text}\n`).join(''));
    return file;
  };
  const other = GATEWAY.replace(ID, OTHER);
  files = [
    write('gateway.log', [other, '', GATEWAY, 'npm notice', `{"request_id":"${ID}`]),
    write('party-1.log', [LEAD, line('party_1', '01.000', { event: 'stopping' })]),
    write('party-2.json', [
      journal(PARTNER, 'host-2'),
      journal(`kernel: ${ID}`, 'host-2'),
      journal(line('party_2', '02.000', { event: 'x', reason: `not of ${ID}` }), 'host-2'),
    ]),
  ];
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const told = async (id: string, of: readonly string[]) => describeTrace(await traceRequest(id, of));

describe('a trace', () => {
  it('has what all processes said of the request, in order of time, and counts what it cannot read', async () => {
    const { lines, malformed_lines } = await traceRequest(ID, files);
    expect(lines.map(({ process, host, event, fields }) => [process, host, event, fields])).toEqual(
      [
        ['party_2', 'host-2', 'signing_joined', expect.objectContaining({ duration_ms: 9 })],
        ['party_1', undefined, 'signing_led', expect.objectContaining({ outcome: 'signed' })],
        ['gateway', undefined, 'signing_ended', expect.objectContaining({ parties: '1,2' })],
      ],
    );
    // a line of npm, half a line, and a message that is no line of a process
    expect(malformed_lines).toBe(3);
  });

  it('is told to people line by line', async () => {
    const text = await told(ID, files);
    expect(text).toContain(
      '2026-11-26T10:00:00.110Z     +10 ms  party_1   signing_led outcome=signed parties=1,2 duration_ms=20  ',
    );
    expect(text.split('\n').at(-1)).toBe('3 lines could not be read and were left out');
  });

  it('of a request that no line names says so', async () => {
    const other = '0f0e9d3c-8d5a-4a77-9d56-0a2f4f2f5b13';
    expect(await told(other, [files[1]!])).toBe(`no line names request ${other}`);
  });

  it('says nothing that moves a cursor', async () => {
    const file = join(folder, 'strange.log');
    const reason = '\u001b[2Jgone';
    writeFileSync(file, line('gateway', '00.000', { event: 'e', request_id: ID, reason }));
    expect(await told(ID, [file])).toContain('reason= [2Jgone');
  });

  it('of a file that cannot be read is none', async () => {
    await expect(traceRequest(ID, [join(folder, 'nowhere')])).rejects.toThrow('ENOENT');
  });
});
