import { Link } from '@tanstack/react-router';
import { CopyableId } from '../design/copyable-id.js';

/** Its beginning, which leads to its page, and a button that copies the whole of it. */
export function RequestId({ id }: { readonly id: string }) {
  return (
    <CopyableId text={id} what={`request id ${id}`}>
      <Link to="/requests/$requestId" params={{ requestId: id }} title={id}>
        {id.slice(0, 8)}
      </Link>
    </CopyableId>
  );
}
