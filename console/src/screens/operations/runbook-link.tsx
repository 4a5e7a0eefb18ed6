import { Link } from '@tanstack/react-router';

/** `name`: of a page in docs/how-to/runbooks. */
export function RunbookLink({ name }: { readonly name: string }) {
  return (
    <Link to="/runbooks/$name" params={{ name }}>
      Runbook: {wordsOf(name)}
    </Link>
  );
}

/** “party down” of `CountersignPartyDown`, “party misbehaved” of `party_misbehaved`. */
function wordsOf(name: string): string {
  return name
    .replace(/^Countersign/, '')
    .replaceAll(/(?<=[a-z])(?=[A-Z])|_/g, ' ')
    .toLowerCase();
}
