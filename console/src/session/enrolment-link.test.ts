import { expect, it } from '@jest/globals';
import { codeOfHash } from './enrolment-link.js';

const CODE = 'AbC-123_xyzAbC-123_xyz00';

it.each([
  [`#enrol=${CODE}`, CODE],
  [`#enrol=${CODE}x`, undefined],
  [`#enrol=${CODE.slice(1)}`, undefined],
  [`#enrol=${CODE.slice(1)}%`, undefined],
  [`#x&enrol=${CODE}`, undefined],
  [`?enrol=${CODE}`, undefined],
  ['', undefined],
])('%s has the code %s', (hash, code) => {
  expect(codeOfHash(hash)).toBe(code);
});
