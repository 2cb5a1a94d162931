import { join } from 'node:path';
import type { AuthOptions } from './auth.ts';
import { type Part, startPart } from '../parts/part.ts';
import { projectDir, typescriptLoader } from '../paths.ts';

/** The line that the process prints when it is ready. */
export const AUTH_READY_TEXT = 'Auth is listening';

interface AuthPartOptions extends AuthOptions {
  /** The Unix socket of Auth. By this path, a later start finds the process of a killed stack. */
  socketPath: string;
  onLine: (line: string) => void;
}

/** Starts Auth in a separate process, because hashing a password blocks a process for 50 ms. */
export const startAuthPart = ({ databaseUrl, jwtSecret, siteUrl, socketPath, onLine }: AuthPartOptions): Part =>
  startPart({
    name: 'Auth',
    command: process.execPath,
    args: ['--import', typescriptLoader, join(projectDir, 'dev/stack/auth/auth_main.ts'), socketPath],
    cwd: projectDir,
    env: { AUTH_DB_URL: databaseUrl, AUTH_JWT_SECRET: jwtSecret, AUTH_SITE_URL: siteUrl },
    readyText: AUTH_READY_TEXT,
    onLine,
  });
