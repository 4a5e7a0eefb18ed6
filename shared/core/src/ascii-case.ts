/**
 * Letters of ASCII in lower case, all else as it stands. `toLowerCase` knows every script, and what it knows changes with
 * the Unicode version of the Node that runs: two nodes could hold one name for taken and for free.
 */
export function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32));
}
