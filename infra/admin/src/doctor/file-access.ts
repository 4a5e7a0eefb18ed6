/** Who may open a file: for the user that a process will run as, who need not be the one that looks. */
import { accessSync, constants, readFileSync, statSync, type Stats } from 'node:fs';
import { dirname, resolve } from 'node:path';

export interface Account {
  /** As it was asked for. */
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** `name`: of a user of this host, or a number. Undefined where there is none. */
export function findAccount(
  name: string,
  passwd = readFileSync('/etc/passwd', 'utf8'),
): Account | undefined {
  const rows = passwd.split('\n').map((line) => line.split(':'));
  const row = rows.find(([user, , uid]) => user === name || uid === name);
  if (row !== undefined) return { name: row[0]!, uid: Number(row[2]), gid: Number(row[3]) };
  return /^\d{1,9}$/.test(name) ? { name, uid: Number(name), gid: Number(name) } : undefined;
}

/** Whoever runs this. */
export function ownAccount(): Account {
  const [uid, gid] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0];
  return { name: findAccount(String(uid))?.name ?? String(uid), uid, gid };
}

type Right = 'read' | 'write' | 'enter';
const BITS: Readonly<Record<Right, number>> = { read: 4, write: 2, enter: 1 };
const MODES: Readonly<Record<Right, number>> = {
  read: constants.R_OK,
  write: constants.W_OK,
  enter: constants.X_OK,
};

/**
 * Whether the account may do that to the file, and enter the folders above it. The system itself is asked where the account is
 * the one that asks; for another one modes are read, and access control lists are not. Throws where there is no such file.
 */
export function mayOpen(account: Account, path: string, right: Right): boolean {
  const whole = resolve(path);
  if (account.uid === process.geteuid?.()) return isGranted(whole, right);
  if (account.uid === 0) return true;
  if (!hasBit(account, statSync(whole), right)) return false;
  for (let folder = dirname(whole); ; folder = dirname(folder)) {
    if (!hasBit(account, statSync(folder), 'enter')) return false;
    if (folder === dirname(folder)) return true;
  }
}

function isGranted(path: string, right: Right): boolean {
  try {
    accessSync(path, MODES[right]);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') return false;
    throw error;
  }
}

function hasBit({ uid, gid }: Account, stats: Stats, right: Right): boolean {
  const shift = stats.uid === uid ? 6 : stats.gid === gid ? 3 : 0;
  return ((stats.mode >> shift) & BITS[right]) !== 0;
}
