import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../../dev/stack/paths.ts';

/** The beginning of both scripts: it finds their folder, and defines how to call npm's own program. */
const HEAD = `#!/usr/bin/env bash
here=$(cd "$(dirname "$0")" && pwd)
own() { PATH=\${PATH#"$here:"} exec "$@"; }
`;

const NPM = `${HEAD}
if [[ "$1 $2" != 'run --silent' || ! -f "$here/scripts/$3" ]] || mkdir "$here/asked/$3" 2>/dev/null; then own npm "$@"; fi
script=$here/scripts/$3
shift 3
if [[ $# -gt 0 && $1 == -- ]]; then shift; fi
INIT_CWD=$PWD exec bash "$script" "$@"
`;

const NPX = `${HEAD}
program=$PWD/node_modules/.bin/$1
if [[ ! -x $program ]] || mkdir "$here/asked/$1" 2>/dev/null; then own npx "$@"; fi
shift
exec "$program" "$@"
`;

/**
 * Makes a folder for the PATH with a faster npm and npx. At the first call for a script or a program, they run the real
 * npm. At later calls, they run the program directly. This saves time, because pages repeat calls, and npm takes as
 * long as the program that it runs.
 */
export function makeQuickNpm(dir: string): void {
  for (const folder of ['scripts', 'asked']) mkdirSync(join(dir, folder), { recursive: true });
  for (const [name, text] of [['npm', NPM], ['npx', NPX]] as const) {
    writeFileSync(join(dir, name), text, { mode: 0o755 });
  }
  const { scripts } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  for (const [name, script] of Object.entries(scripts)) {
    if (script.startsWith('node ')) writeFileSync(join(dir, 'scripts', name), `exec ${script} "$@"\n`);
  }
}
