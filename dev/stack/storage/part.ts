import { join } from 'node:path';
import { type Part, startPart } from '../parts/part.ts';
import { projectDir, typescriptLoader } from '../paths.ts';

/** The line that the process prints when it is ready. */
export const STORAGE_READY_TEXT = 'Storage is listening';

interface StorageOptions {
  /** Connects as supabase_storage_admin. */
  databaseUrl: string;
  jwtSecret: string;
  /** The folder of the files. */
  dir: string;
  /** The Unix socket of Storage. By this path, a later start finds the process of a killed stack. */
  socketPath: string;
  onLine: (line: string) => void;
}

/** Starts Storage in a separate process, which holds the bytes of uploads in its memory. */
export const startStoragePart = ({ databaseUrl, jwtSecret, dir, socketPath, onLine }: StorageOptions): Part =>
  startPart({
    name: 'Storage',
    command: process.execPath,
    args: ['--import', typescriptLoader, join(projectDir, 'dev/stack/storage/main.ts'), socketPath],
    cwd: projectDir,
    env: { STORAGE_DB_URL: databaseUrl, STORAGE_JWT_SECRET: jwtSecret, STORAGE_DIR: dir },
    readyText: STORAGE_READY_TEXT,
    onLine,
  });
