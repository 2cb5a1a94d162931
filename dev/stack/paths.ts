import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The project's root folder. */
export const projectDir = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** The loader that lets Node read TypeScript, for `node --import`. */
export const typescriptLoader: string = pathToFileURL(join(projectDir, 'platform/loader/typescript.js')).href;
