import { statSync, type Stats } from 'node:fs';
import { resolve } from 'node:path';

const GROUP_AND_OTHERS = 0o077;
const READ_BY_GROUP = 0o040;

/** Where systemd puts what a unit loads as a credential (`LoadCredential=`): a folder for each unit, which its user alone may enter. */
const CREDENTIALS = '/run/credentials/';

/**
 * Whether somebody else than its owner may open the file. To a unit's user systemd (254 and newer) gives a credential by an
 * access control list, which the mode shows as a right of the group (0440, and root's): there that right is nobody else's.
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

/** Throws unless the file is readable by its owner alone: a key file that others can read is no key. */
export function assertPrivateFile(path: string): void {
  if (letsOthersIn(path, statSync(path))) {
    throw new Error(`${path} must be readable by its owner alone (chmod 600)`);
  }
}
