import { describe, expect, it } from '@jest/globals';
import { explainConsole } from './explain.js';

const ADDRESS = 'http://localhost:8080/console/';
const CODE = 'AbC-123_xyzAbC-123_xyz00';
const link = `${ADDRESS}#enrol=${CODE}`;
const vault = { home: '.countersign' };

describe('the link for the first person', () => {
  it('is shown once, at a terminal', () => {
    expect(explainConsole({ address: ADDRESS, link, isNew: true }, vault, true)).toContain(link);
  });

  it.each([
    ['that is no terminal: a file, a journal', true, false],
    ['at a later start', false, true],
  ])('is told by its file alone %s', (_where, isNew, isTerminal) => {
    const text = explainConsole({ address: ADDRESS, link, isNew }, vault, isTerminal);
    expect(text).not.toContain(CODE);
    expect(text).toContain('.countersign/console-link');
    expect(text).toContain(ADDRESS);
  });

  it('is not spoken of once it was used', () => {
    const text = explainConsole({ address: ADDRESS, isNew: false }, vault, true);
    expect(text).toContain(ADDRESS);
    expect(text).not.toContain('console-link');
  });
});
