/** Text from users and from the network, so that what is read is what is there. */

/** Characters that show nothing or turn the reading direction, as their numbers: `\u{202e}`. Line breaks stay. */
export function visibleText(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu, (character) =>
    character === '\n' ? character : `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}

/** JSON on several lines where it is JSON; otherwise the text itself. */
export function readableJson(text: string): string {
  try {
    return visibleText(JSON.stringify(JSON.parse(text), null, 2));
  } catch {
    return visibleText(text);
  }
}
