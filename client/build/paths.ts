import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this package's sources. */
export const clientDir = dirname(dirname(fileURLToPath(import.meta.url)));
