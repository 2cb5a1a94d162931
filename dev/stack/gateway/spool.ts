import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** A file that is written and read at the same time, and is deleted when it is closed. */
export interface SpoolFile {
  append: (chunk: Buffer) => Promise<void>;
  /** Reads the next unread bytes, at most `maxBytes`; empty if all written bytes are read. */
  read: (maxBytes: number) => Promise<Buffer>;
  /** Returns the number of unread bytes. */
  unread: () => number;
  /** Returns a stream of all written bytes, from the beginning. */
  stream: () => Readable;
  close: () => Promise<void>;
}

/** A store for large bodies and answers, so that they take no memory. */
export interface Spool {
  open: () => Promise<SpoolFile>;
}

/**
 * Makes the spool in a folder, which is emptied first. Open files have no name, so a killed process leaves no file
 * behind.
 */
export async function makeSpool(dir: string): Promise<Spool> {
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true, mode: 0o700 });
  return {
    async open() {
      const path = join(dir, randomUUID());
      const file: FileHandle = await open(path, 'wx+', 0o600);
      await unlink(path);
      let written = 0;
      let readTo = 0;
      return {
        async append(chunk) {
          for (let offset = 0; offset < chunk.length;) {
            const { bytesWritten } = await file.write(chunk, offset, chunk.length - offset, written);
            offset += bytesWritten;
            written += bytesWritten;
          }
        },
        async read(maxBytes) {
          const size = Math.min(maxBytes, written - readTo);
          if (size === 0) return Buffer.alloc(0);
          const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(size), 0, size, readTo);
          readTo += bytesRead;
          return buffer.subarray(0, bytesRead);
        },
        unread: () => written - readTo,
        stream: () => file.createReadStream({ start: 0, autoClose: false }),
        close: () => file.close(),
      };
    },
  };
}
