import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the client's sources. */
export const clientDir = dirname(dirname(fileURLToPath(import.meta.url)));

/** The project's root folder. */
export const projectDir = join(clientDir, '..');
