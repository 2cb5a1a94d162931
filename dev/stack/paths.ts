import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The project's root folder. */
export const projectDir = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** The folder of the local stacks' data; each stack has a folder in it. */
export const stacksDir = join(projectDir, '.stack');

/** Returns the folder in which `npm start` stores a stack's database and keys, by its port. */
export const stackDir = (port: number): string => join(stacksDir, String(port));

/** The loader that lets Node read TypeScript, for `node --import`. */
export const typescriptLoader: string = pathToFileURL(join(projectDir, 'dev/loader/typescript.js')).href;
