/** Which known word somebody meant. */

/** The known word that is nearest to `word`, where it is near at all: one letter in short words, two in others. */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  const most = word.length <= 5 ? 1 : 2;
  const near = known
    .map((one) => ({ one, apart: lettersApart(word, one) }))
    .filter(({ apart }) => apart > 0 && apart <= most)
    .toSorted((a, b) => a.apart - b.apart);
  return near[0]?.one;
}

/** Letters to put in, leave out, replace or swap with their neighbour until one word is the other. */
export function lettersApart(from: string, to: string): number {
  let before: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row++) {
    const now = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped =
        row > 1 &&
        column > 1 &&
        from[row - 1] === to[column - 2] &&
        from[row - 2] === to[column - 1];
      now.push(
        Math.min(
          last[column]! + 1,
          now[column - 1]! + 1,
          last[column - 1]! + (isSame ? 0 : 1),
          isSwapped ? before[column - 2]! + 1 : Infinity,
        ),
      );
    }
    [before, last] = [last, now];
  }
  return last[to.length]!;
}
