/** Words of a pasted command, as a POSIX shell would read them. Nothing is expanded: no variable, no command, no pattern. */

/** Undefined where a quote does not end. */
export function shellWords(line: string): string[] | undefined {
  const words: string[] = [];
  let rest = line.replaceAll(/\\\r?\n/g, ' ');
  while ((rest = rest.trimStart()) !== '') {
    let word = '';
    while (rest !== '' && !/^\s/.test(rest)) {
      const piece = pieceOf(rest);
      if (piece === undefined) return undefined;
      word += piece.text;
      rest = rest.slice(piece.length);
    }
    words.push(word);
  }
  return words;
}

interface Piece {
  readonly text: string;
  /** Of what it was written as. */
  readonly length: number;
}

const PIECES: readonly (readonly [RegExp, (inside: string) => string])[] = [
  [/^'([^']*)'/, (inside) => inside],
  [/^"((?:[^"\\]|\\[\s\S])*)"/, (inside) => inside.replaceAll(/\\(["\\$`])/g, '$1')],
  [/^\\([\s\S])/, (inside) => inside],
  [/^([^\s'"\\]+)/, (inside) => inside],
];

function pieceOf(rest: string): Piece | undefined {
  for (const [pattern, read] of PIECES) {
    const match = pattern.exec(rest);
    if (match !== null) return { text: read(match[1]!), length: match[0].length };
  }
  return undefined;
}
