/**
 * Letters of ASCII in lower case, all else unchanged. `toLowerCase` knows every script, and its tables change with the
 * Unicode version of the running Node: two nodes could disagree whether a name is taken.
 */
export function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32));
}
