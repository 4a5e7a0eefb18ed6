/** Finds endings from a fixed set of words in one walk from the end: a request may hold thousands of names. */

interface Node {
  readonly before: Map<string, Node>;
  isStatement: boolean;
}

/** Tells whether a text ends in one of the words. The first text sorts them; an empty word does not count. */
export function createSuffixFinder(words: Iterable<string>): (text: string) => boolean {
  let root: Node | undefined;
  return (text) => {
    let node: Node | undefined = (root ??= treeOf(words));
    for (let at = text.length - 1; at >= 0; at--) {
      node = node.before.get(text[at]!);
      if (node === undefined || node.isStatement) return node !== undefined;
    }
    return false;
  };
}

function treeOf(words: Iterable<string>): Node {
  const root = newNode();
  for (const word of words) {
    if (word !== '') add(root, word);
  }
  return root;
}

function newNode(): Node {
  return { before: new Map(), isStatement: false };
}

function add(root: Node, word: string): void {
  let node = root;
  for (let at = word.length - 1; at >= 0; at--) {
    const letter = word[at]!;
    const next: Node = node.before.get(letter) ?? newNode();
    node.before.set(letter, next);
    node = next;
  }
  node.isStatement = true;
}
