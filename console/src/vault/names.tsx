/** Names for ids. Who may not look at a thing sees its id: nothing is refused because a name is unknown. */
import { Link } from '@tanstack/react-router';
import { Name } from '../design/pieces.js';
import { useRead } from './vault-queries.js';

export function UserName({ id }: { readonly id: string }) {
  const { data } = useRead('get-user', { params: { user_id: id } });
  return data === undefined ? <code>{id}</code> : <Name text={data.display_name} />;
}

export function VaultName({ id }: { readonly id: string }) {
  const { data } = useRead('get-vault', { params: { vault_id: id } });
  return data === undefined ? <code>{id}</code> : <Name text={data.display_name} />;
}

export function KeyName({ id }: { readonly id: string }) {
  const { data } = useRead('get-key', { params: { key_id: id } });
  return data === undefined ? <code>{id}</code> : <Name text={data.display_name} />;
}

export function UserLink({ id }: { readonly id: string }) {
  return (
    <Link to="/users/$userId" params={{ userId: id }}>
      <UserName id={id} />
    </Link>
  );
}

export function KeyLink({ id }: { readonly id: string }) {
  return (
    <Link to="/keys/$keyId" params={{ keyId: id }}>
      <KeyName id={id} />
    </Link>
  );
}

export function VaultLink({ id }: { readonly id: string }) {
  return (
    <Link to="/vaults/$vaultId" params={{ vaultId: id }}>
      <VaultName id={id} />
    </Link>
  );
}
