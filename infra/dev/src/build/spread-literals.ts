import type { Plugin } from 'rolldown';
import { Visitor, parseSync } from 'rolldown/utils';

/**
 * Writes `{ ...null, ...row, more }` for each `{ ...row, more }` of a bundle: the same object, made in another way. Node
 * 20's V8 clones what stands first, and then takes a microsecond or two in its runtime to add to the clone, each
 * time; added to an object that began empty they cost a tenth (docs/PERFORMANCE.md). A signature takes dozens of them in
 * each process.
 */
export function unclonedSpreads(): Plugin {
  return {
    name: 'uncloned-spreads',
    // last of all: what is written shorter again comes before. Maps hold, since no line moves
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk') file.code = beginEmpty(file.fileName, file.code);
      }
    },
  };
}

const NOTHING = '...null,';

/** `name` says what the code is: an ES module (.js), or CommonJS (.cjs). Throws an Error where it is neither. */
export function beginEmpty(name: string, code: string): string {
  const places: number[] = [];
  const { program, errors } = parseSync(name, code);
  if (errors.length > 0) throw new Error(`${name} cannot be read: ${errors[0]!.message}`);
  new Visitor({
    ObjectExpression({ start, properties }) {
      if (properties.length > 1 && properties[0]?.type === 'SpreadElement') places.push(start + 1);
    },
  }).visit(program);
  places.sort((one, other) => one - other);
  const ends = [...places, code.length];
  return ends.map((end, at) => code.slice(ends[at - 1] ?? 0, end)).join(NOTHING);
}
