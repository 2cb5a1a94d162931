import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { findNpmBinary } from '../npm_binary.ts';
import { type Part, startPart } from '../part.ts';
import { projectDir } from '../paths.ts';

/** What the process prints once it answers. */
export const READY_TEXT = 'The chain is listening';

/** The C library that a system's binaries are linked against, in litesvm's names of its packages. */
function libc(): string {
  if (platform() !== 'linux') return '';
  // SAFETY: a report of Node's, whose header names the version of glibc where that is what Node runs on.
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime === undefined ? '-musl' : '-gnu';
}

/** The Solana VM's native library; one clear line where there is none for this platform. */
export function litesvmLibrary(): string {
  const name = `${platform()}-${arch()}${libc()}`;
  return findNpmBinary({
    name: 'Solana VM',
    // The package's own loader reads it.
    variable: 'NAPI_RS_NATIVE_LIBRARY_PATH',
    expects: "a build of litesvm's library",
    packageName: `litesvm-${name}`,
    path: `litesvm.${name}.node`,
  });
}

/**
 * Starts the chain in a process of its own: the VM is native code. `socketPath` is no address: it lies in the stack's folder of
 * sockets, by which a later start finds what a killed stack left running.
 */
export const startChainPart = (port: number, socketPath: string, onLine: (line: string) => void): Part =>
  startPart({
    name: 'chain',
    command: process.execPath,
    args: [
      '--import',
      'tsx',
      join(projectDir, 'supabase/local/chain/main.ts'),
      `--port=${port}`,
      `--stack=${socketPath}`,
    ],
    cwd: projectDir,
    readyText: READY_TEXT,
    onLine,
  });
