import { expect, test } from '@jest/globals';
import type { Piscina } from 'piscina';
import { createRsaTurns } from './rsa-turns.js';

const slow = { name: 'slow' } as unknown as Piscina;
const rsa = { name: 'rsa' } as unknown as Piscina;

test('signatures are made by the slow pool until their own has started, which the first one has it do', async () => {
  let haveOpened: () => void = () => undefined;
  const opening = new Promise<void>((resolve) => {
    haveOpened = resolve;
  });
  let opened = 0;
  const next = createRsaTurns({ slow, rsa }, () => {
    opened += 1;
    return opening;
  });
  expect(opened).toBe(0);
  expect([next(), next()]).toEqual([slow, slow]);
  expect(opened).toBe(1);
  haveOpened();
  await opening;
  expect([next(), next()]).toEqual([rsa, rsa]);
  expect(opened).toBe(1);
});

test('and by none once that could not start', async () => {
  const next = createRsaTurns({ slow, rsa }, () => Promise.reject(new Error('other keys')));
  expect(next()).toBe(slow);
  await Promise.resolve();
  await Promise.resolve();
  expect(next).toThrow('could not start');
});
