/** What is asked for in one turn of the event loop, handed on together at its end: nothing waits for a timer, nor for what is under way. */

/** As many as one request to the vault may have. */
export const MOST_TOGETHER = 64;

/** `leave`: takes up to `MOST_TOGETHER` at once, in the order in which they were added. */
export function createTurnCollector<Item>(
  leave: (items: readonly Item[]) => void,
): (item: Item) => void {
  let waiting: Item[] = [];
  const leaveAll = () => {
    const all = waiting;
    waiting = [];
    for (let at = 0; at < all.length; at += MOST_TOGETHER) leave(all.slice(at, at + MOST_TOGETHER));
  };
  return (item) => {
    // after the promises of this turn, all of which may still ask for something
    if (waiting.push(item) === 1) setImmediate(leaveAll);
  };
}
