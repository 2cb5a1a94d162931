import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { findNpmBinary } from '../stack/npm_binary.ts';
import { type Part, startPart } from '../stack/parts/part.ts';
import { projectDir, typescriptLoader } from '../stack/paths.ts';

/** The text that the process prints when it is ready. */
export const READY_TEXT = 'The chain is listening';

/** The C library of this system, by its name in litesvm's package names. */
function libc(): string {
  if (platform() !== 'linux') return '';
  // SAFETY: the header of Node's report names the version of glibc if Node runs on glibc.
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime === undefined ? '-musl' : '-gnu';
}

/**
 * Returns the path of the Solana VM's native library. Throws a StackError of one line if there is none for this
 * platform.
 */
export function litesvmLibrary(): string {
  const name = `${platform()}-${arch()}${libc()}`;
  return findNpmBinary({
    name: 'Solana VM',
    // The loader of the package litesvm reads this variable.
    variable: 'NAPI_RS_NATIVE_LIBRARY_PATH',
    expects: "a build of litesvm's library",
    packageName: `litesvm-${name}`,
    path: `litesvm.${name}.node`,
  });
}

/**
 * Starts the chain in a process of its own, because the VM is native code. No server listens on `socketPath`. The path
 * is only a part of the command line, so that a later start finds the process of a killed stack.
 */
export const startChainPart = (port: number, socketPath: string, onLine: (line: string) => void): Part =>
  startPart({
    name: 'chain',
    command: process.execPath,
    args: [
      '--import',
      typescriptLoader,
      join(projectDir, 'dev/chain/main.ts'),
      `--port=${port}`,
      `--stack=${socketPath}`,
    ],
    cwd: projectDir,
    readyText: READY_TEXT,
    onLine,
  });
