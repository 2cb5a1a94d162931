import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The project's root folder. */
export const projectDir = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** Where the local stacks keep their data; each has a folder. */
export const stacksDir = join(projectDir, '.stack');

/** Where `npm start` keeps a stack's database and keys: a folder for each port. */
export const stackDir = (port: number): string => join(stacksDir, String(port));

/** What has Node read TypeScript, for `node --import`. */
export const typescriptLoader: string = pathToFileURL(join(projectDir, 'dev/loader/typescript.js')).href;
