import { readdir } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';

/** A file of the built console. */
export interface ConsoleFile {
  path: string;
  contentType: string;
  /** True if the file's name has a hash of its content. A browser may then keep the file for ever. */
  isImmutable: boolean;
}

const CONTENT_TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/**
 * Lists the files of a folder by their paths in the address. Only listed files are served, so no path from a request
 * ever reaches the file system.
 */
export async function listConsoleFiles(dir: string): Promise<Map<string, ConsoleFile>> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return new Map(
    entries.filter((entry) => entry.isFile()).map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const name = relative(dir, path).split(sep).join('/');
      const contentType = CONTENT_TYPES[extname(name)] ?? 'application/octet-stream';
      return [name, { path, contentType, isImmutable: name.startsWith('assets/') }];
    }),
  );
}
