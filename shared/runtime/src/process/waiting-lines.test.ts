import { describe, expect, it } from '@jest/globals';
import { createWaitingLines } from './waiting-lines.js';

/** Runs whose end the test decides; `begun` has them in the order of their beginning. */
function heldRuns() {
  const begun: string[] = [];
  const ends = new Map<string, { resolve(text: string): void; reject(error: Error): void }>();
  const hold = (name: string) => () => {
    begun.push(name);
    return new Promise<string>((resolve, reject) => ends.set(name, { resolve, reject }));
  };
  return { begun, ends, hold };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a waiting line', () => {
  it('lets one run after the other, in the order they came', async () => {
    const { inLine } = createWaitingLines();
    const { begun, ends, hold } = heldRuns();
    const results = Promise.all(['a', 'b', 'c'].map((name) => inLine('x', hold(name))));
    await turn();
    expect(begun).toEqual(['a']);
    for (const name of ['a', 'b', 'c']) {
      ends.get(name)!.resolve(`of ${name}`);
      await turn();
    }
    expect(begun).toEqual(['a', 'b', 'c']);
    expect(await results).toEqual(['of a', 'of b', 'of c']);
  });

  it('goes on after one that failed, and tells whoever asked for that one', async () => {
    const { inLine } = createWaitingLines();
    const { ends, hold } = heldRuns();
    const failed = inLine('x', hold('a'));
    const next = inLine('x', hold('b'));
    await turn();
    ends.get('a')!.reject(new Error('broken'));
    await expect(failed).rejects.toThrow('broken');
    await turn();
    ends.get('b')!.resolve('done');
    expect(await next).toBe('done');
  });

  it('does not wait for a line of another name', async () => {
    const { inLine } = createWaitingLines();
    const { begun, ends, hold } = heldRuns();
    const both = Promise.all([inLine('x', hold('a')), inLine('y', hold('b'))]);
    await turn();
    expect(begun).toEqual(['a', 'b']);
    for (const end of ends.values()) end.resolve('done');
    await both;
  });
});
