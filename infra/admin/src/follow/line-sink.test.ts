import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { openLineSink } from './line-sink.js';

const folder = mkdtempSync(join(tmpdir(), 'countersign-sink-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What is in a file that had `before` in it once `lines` were written to it. */
async function written(before: string, lines: string, header = ''): Promise<string> {
  const path = join(folder, 'audit');
  writeFileSync(path, before);
  const sink = await openLineSink(path, header);
  await sink.write(lines);
  await sink.close();
  return readFileSync(path, 'utf8');
}

describe('a file of lines', () => {
  it('is appended to', async () => {
    expect(await written('{"seq":1}\n', '{"seq":2}\n')).toBe('{"seq":1}\n{"seq":2}\n');
  });

  it('begins with the header, once', async () => {
    expect(await written('', 'a,b\r\n', 'x,y\r\n')).toBe('x,y\r\na,b\r\n');
    expect(await written('x,y\r\n', 'a,b\r\n', 'x,y\r\n')).toBe('x,y\r\na,b\r\n');
  });

  it('loses half a line that a crash or a full disk left, which comes again, and no other', async () => {
    const half = '{"seq":1}\n{"seq":2,"act';
    const again = '{"seq":2,"action":"a"}\n{"seq":3,"action":"a"}\n';
    expect(await written(half, again)).toBe(`{"seq":1}\n${again}`);
  });

  it('loses half a line however long', async () => {
    const half = `{"seq":1}\n{"seq":2,"details":"${'x'.repeat(300_000)}`;
    expect(await written(half, '{"seq":2}\n')).toBe('{"seq":1}\n{"seq":2}\n');
  });

  it('has its whole header where only half of it was there', async () => {
    expect(await written('x,', 'a,b\r\n', 'x,y\r\n')).toBe('x,y\r\na,b\r\n');
  });
});
