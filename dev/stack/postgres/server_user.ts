import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { StackError } from '../stack_error.ts';

export interface SystemUser {
  uid: number;
  gid: number;
}

function lookUpUser(name: string): SystemUser | undefined {
  const id = (flag: string) => spawnSync('id', [flag, name], { encoding: 'utf8' });
  const uid = id('-u');
  return uid.status === 0 ? { uid: Number(uid.stdout), gid: Number(id('-g').stdout) } : undefined;
}

/**
 * Returns the user for Postgres, which refuses to run as root: the system user postgres, as in the distributions'
 * packages.
 */
export function serverUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const found = lookUpUser('postgres');
  if (found !== undefined) return found;
  spawnSync('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', 'postgres']);
  const made = lookUpUser('postgres');
  if (made === undefined) {
    throw new StackError(
      'Postgres does not run as root, and no user postgres could be made: run this as an ordinary user.',
    );
  }
  return made;
}

/** Returns the first folder or program on the path that the user may not enter or run. */
export function closedTo(user: SystemUser, path: string): string | undefined {
  const way: string[] = [];
  for (let dir = resolve(path); dir !== dirname(dir); dir = dirname(dir)) way.unshift(dir);
  return way.filter((entry) => existsSync(entry)).find((entry) => {
    const { mode, uid, gid } = statSync(entry);
    const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0;
    return (mode >> shift & 0o1) === 0;
  });
}
