import { statSync, type Stats } from 'node:fs';
import { resolve } from 'node:path';

const GROUP_AND_OTHERS = 0o077;
const READ_BY_GROUP = 0o040;

/**
 * Where systemd puts a unit's credentials (`LoadCredential=`): each unit has a folder that its user alone may enter.
 */
const CREDENTIALS = '/run/credentials/';

/**
 * Whether anybody but its owner may open the file. systemd (254 and newer) gives a unit's user a credential by an
 * access control list. The mode shows that as a right of the group (0440, and root's), and in that folder nobody else
 * has it.
 */
export function letsOthersIn(
  path: string,
  { mode, uid, gid }: Pick<Stats, 'mode' | 'uid' | 'gid'>,
): boolean {
  const others = mode & GROUP_AND_OTHERS;
  if (others === 0) return false;
  const isCredential = resolve(path).startsWith(CREDENTIALS) && uid === 0 && gid === 0;
  return !(isCredential && others === READ_BY_GROUP);
}

/** Throws unless its owner alone can read the file: a key file that others can read is no key. */
export function assertPrivateFile(path: string): void {
  if (letsOthersIn(path, statSync(path))) {
    throw new Error(`${path} must be readable by its owner alone (chmod 600)`);
  }
}
