import { join } from 'node:path';
import type { AuthOptions } from './auth.ts';
import { type Part, startPart } from './part.ts';
import { projectDir, typescriptLoader } from './paths.ts';

/** What the process prints when it is ready. */
export const AUTH_READY_TEXT = 'Auth is listening';

export interface AuthPartOptions extends AuthOptions {
  /** The Unix socket that it answers on. A later start finds the process of a killed stack by this path. */
  socketPath: string;
  onLine: (line: string) => void;
}

/** Starts Auth in a process of its own: hashing a password takes 50 ms in which a process does nothing else. */
export const startAuthPart = ({ databaseUrl, jwtSecret, siteUrl, socketPath, onLine }: AuthPartOptions): Part =>
  startPart({
    name: 'Auth',
    command: process.execPath,
    args: ['--import', typescriptLoader, join(projectDir, 'dev/stack/auth_main.ts'), socketPath],
    cwd: projectDir,
    env: { AUTH_DB_URL: databaseUrl, AUTH_JWT_SECRET: jwtSecret, AUTH_SITE_URL: siteUrl },
    readyText: AUTH_READY_TEXT,
    onLine,
  });
