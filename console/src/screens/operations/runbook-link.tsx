import { Link } from '@tanstack/react-router';

/** `name`: of a page in docs/how-to/runbooks. */
export function RunbookLink({ name }: { readonly name: string }) {
  return (
    <Link to="/runbooks/$name" params={{ name }}>
      Runbook
    </Link>
  );
}
