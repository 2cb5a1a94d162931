import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** A file that is written and read at once, and is gone when it is closed. */
export interface SpoolFile {
  append: (chunk: Buffer) => Promise<void>;
  /** The next bytes that were not read yet, at most `maxBytes`; empty when all that was written is read. */
  read: (maxBytes: number) => Promise<Buffer>;
  /** Bytes that are written and not read. */
  unread: () => number;
  /** All that was written, from its beginning. */
  stream: () => Readable;
  close: () => Promise<void>;
}

/** Where large bodies and answers wait, so that they take no memory. */
export interface Spool {
  open: () => Promise<SpoolFile>;
}

/**
 * Makes the spool in a folder; the folder is emptied. Its files have no name once they are open, so none is left behind
 * when the process is killed.
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
