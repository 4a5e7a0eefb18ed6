/**
 * A link to enrol by has its code behind `#`: no server is sent that part of an address, so no log has it. While its
 * reader is away at the identity provider, this tab's own storage keeps the code.
 */
const KEPT = 'countersign.enrolment-code';

/** The code of such a link, of whose address this is the part from `#` on. */
export function codeOfHash(hash: string): string | undefined {
  return /^#enrol=([A-Za-z0-9_-]{24})$/.exec(hash)?.[1];
}

/** Takes the code out of this page's address, so that nobody copies or bookmarks it. */
export function takeCodeFromAddress(): void {
  const code = codeOfHash(location.hash);
  if (code === undefined) return;
  sessionStorage.setItem(KEPT, code);
  history.replaceState(history.state, '', location.pathname + location.search);
}

/** Undefined where nobody came by such a link, or it was used. */
export function linkedCode(): string | undefined {
  return sessionStorage.getItem(KEPT) ?? undefined;
}

/** For whoever is in now. Whether there was one. */
export function forgetLinkedCode(): boolean {
  const wasLinked = linkedCode() !== undefined;
  sessionStorage.removeItem(KEPT);
  return wasLinked;
}
