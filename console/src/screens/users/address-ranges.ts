/** What somebody typed or pasted as a list of ranges: on lines, or with commas or blanks between; each once. */
export function rangesIn(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((range) => range !== ''))];
}
