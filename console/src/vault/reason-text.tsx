/** Why something was refused. Rules and policies are named where the viewer may look at them. */
import { Name } from '../design/pieces.js';
import { namedReason, namesAnId } from './reason-words.js';
import { useRows } from './vault-queries.js';

export function ReasonText({ text }: { readonly text: string }) {
  const query = { limit: '100' };
  const { rows } = useRows('list-signing-policies', { query }, { isWanted: namesAnId(text) });
  const named = rows.flatMap((policy) => [policy, ...policy.rules]);
  const names = new Map(named.map(({ id, display_name: name }) => [id, name]));
  return <Name text={namedReason(text, names)} />;
}
