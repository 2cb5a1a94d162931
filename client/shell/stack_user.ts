import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StackError } from '../../platform/local_stack/running_stacks.ts';

/** The user that the demo, the shell and a person at the console share on a local stack. */
interface StackUser {
  email: string;
  password: string;
  accessToken: string;
}

type Credentials = Pick<StackUser, 'email' | 'password'>;

interface Project {
  url: string;
  key: string;
}

async function askAuth({ url, key }: Project, path: string, credentials: Credentials): Promise<StackUser | undefined> {
  const response = await fetch(`${url}/auth/v1/${path}`, {
    method: 'POST',
    headers: { apikey: key, 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  });
  // A reset stack no longer has the user.
  if (response.status === 400) return undefined;
  const text = await response.text();
  if (!response.ok) throw new StackError(`The local stack answers ${response.status} ${text}`);
  return { ...credentials, accessToken: JSON.parse(text).access_token };
}

async function readKept(file: string): Promise<Credentials | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Signs in the user of the stack in `dir`. Email and password are stored in this folder. If the stack has no user, or
 * was reset, a new user is made.
 */
export async function findStackUser(dir: string, project: Project): Promise<StackUser> {
  const file = join(dir, 'user.json');
  const kept = await readKept(file);
  const known = kept && await askAuth(project, 'token?grant_type=password', kept);
  if (known !== undefined) return known;
  const credentials = {
    email: `demo-${randomBytes(4).toString('hex')}@example.com`,
    password: randomBytes(12).toString('base64url'),
  };
  const user = await askAuth(project, 'signup', credentials);
  if (user === undefined) throw new StackError('The local stack refuses to sign a user up.');
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, JSON.stringify(credentials), { mode: 0o600 });
  await rename(draft, file);
  return user;
}
