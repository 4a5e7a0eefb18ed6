const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/** The id in what somebody pasted: alone, in quotes, or at the end of an address. */
export function requestIdIn(text: string): string | undefined {
  return ID.exec(text.toLowerCase())?.[0];
}
