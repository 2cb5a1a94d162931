import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's root folder. */
export const projectDir = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** Where the local stacks keep what is theirs; a folder each. */
export const stacksDir = join(projectDir, '.stack');

/** Where `npm start` keeps a stack's database and keys; one folder a port. */
export const stackDir = (port: number): string => join(stacksDir, String(port));
