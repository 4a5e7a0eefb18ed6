import { describe, expect, it } from '@jest/globals';
import * as s from '@countersign/core/shapes.js';
import { UsageError } from './command.js';
import { readDocument } from './document.js';

const shape = s.strictObject({
  name: s.string(),
  rules: s.array(s.strictObject({ id: s.int(), then: s.words(['allow', 'deny']) })),
});

const faultOf = (text: string) => {
  try {
    readDocument('f.yaml', text).check(shape);
    return 'none';
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as Error).message;
  }
};

describe('a document', () => {
  it('is YAML or JSON', () => {
    expect(faultOf('name: a\nrules:\n  - {id: 1, then: allow}\n')).toBe('none');
    expect(faultOf('{"name": "a", "rules": [{"id": 1, "then": "deny"}]}')).toBe('none');
  });

  it.each([
    [
      'name: a\nrules:\n  - id: 1\n    then: alow\n',
      'line 4: rules.0.then: must be one of allow, deny',
    ],
    [
      'name: a\nrules:\n  - id: 1\n    then: deny\n  - id: x\n    then: deny\n',
      'line 5: rules.1.id: must be of type number',
    ],
    ['name: a\nrules:\n  - id: 1\n    then: deny\nruels: 1\n', 'line 5: unknown field "ruels"'],
    ['\n\nrules:\n  - id: 1\n', 'line 3: name: is required'],
    ['name: a\nrules: [{id: 1,\n  then: 2}]\n', 'line 3: rules.0.then: must be one of allow, deny'],
    ['{"name": "a",\n"rules": [],\n"more": 1}', 'line 3: unknown field "more"'],
    ['- a\n', 'line 1: must be of type object'],
    [
      'name: [\nrules: 1',
      'line 2: Flow sequence in block collection must be sufficiently indented and end with a ]',
    ],
    ['name: a\nname: b\n', 'line 2: Map keys must be unique'],
    ['', 'line 1: must be of type object'],
  ])('%j is told with its line', (text, told) => {
    expect(faultOf(text)).toBe(`f.yaml: ${told}`);
  });

  it('takes times, and words such as yes and no, as text', () => {
    expect(readDocument('f', 'a: 2026-01-01\nb: yes\n').value).toEqual({
      a: '2026-01-01',
      b: 'yes',
    });
  });

  it('is not made large by aliases', () => {
    const lines = ['a: &a [x,x,x,x,x,x,x,x,x]'];
    for (const [name, of] of ['ba', 'cb', 'dc', 'ed', 'fe', 'gf', 'hg', 'ih'].map((pair) =>
      pair.split(''),
    )) {
      lines.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${of}`).join(',')}]`);
    }
    expect(() => readDocument('f', lines.join('\n'))).toThrow(UsageError);
  });
});
