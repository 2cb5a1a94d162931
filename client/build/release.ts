import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { type ProjectRelease, SHARED_CODE } from '../shell/install/release.ts';
import { clientDir, projectDir } from './paths.ts';

const functionsDir = join(projectDir, 'functions');

/**
 * Names packages as `npm:hono@4.13.19`, with the versions of package.json. So a function needs no import map, and gets
 * its packages as a function of this project does.
 */
function npmSpecifiers(): Plugin {
  const { dependencies } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  return {
    name: 'npm specifiers',
    setup: ({ onResolve }) =>
      onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
        if (kind === 'entry-point') return undefined;
        if (path.startsWith('node:')) return { path, external: true };
        const name = path.split('/').slice(0, path.startsWith('@') ? 2 : 1).join('/');
        const version = dependencies[name];
        if (version === undefined) throw new Error(`${name} is not among the dependencies of package.json.`);
        return { path: `npm:${name}@${version}${path.slice(name.length)}`, external: true };
      }),
  };
}

/** Lets the thread for scripts find its bundle. The bundle of a function is one folder deep, as shared code is. */
const scriptThread: Plugin = {
  name: 'script thread',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[/\\]web_script_thread\.ts$/ }, ({ path }) => {
      const [before, after, ...others] = readFileSync(path, 'utf8').split("'./script_thread.ts'");
      if (after === undefined || others.length > 0) throw new Error(`${path} must name the thread's file once.`);
      return { loader: 'ts', contents: `${before}'../${SHARED_CODE}/script_thread.js'${after}` };
    }),
};

/**
 * The licences of the packages that are part of the code, and not imported: those that run in the sandbox of scripts.
 * Each generated file begins with them.
 */
function licencesOf(files: string[]): string {
  const texts = files.filter((file) => file.startsWith('runner/script/generated/')).toSorted()
    .flatMap((file) => readFileSync(join(projectDir, file), 'utf8').split('*/')[0]?.split('/*\n')[1] ?? []);
  return [readFileSync(join(projectDir, 'LICENSE'), 'utf8'), ...texts].map((text) => `${text.trim()}\n`).join('\n');
}

/** Bundles the Edge Functions: each one as `<name>/index.js`, and the code that several share in a folder beside. */
async function bundleFunctions(): Promise<Map<string, string>> {
  const names = readdirSync(functionsDir).filter((name) => existsSync(join(functionsDir, name, 'index.ts')));
  const { outputFiles, metafile } = await build({
    absWorkingDir: projectDir,
    entryPoints: [
      ...names.map((name) => ({ in: `functions/${name}/index.ts`, out: `${name}/index` })),
      { in: 'runner/threads/script_thread.ts', out: `${SHARED_CODE}/script_thread` },
    ],
    outdir: functionsDir,
    write: false,
    bundle: true,
    splitting: true,
    chunkNames: `${SHARED_CODE}/[name]_[hash]`,
    format: 'esm',
    platform: 'neutral',
    target: 'es2023',
    metafile: true,
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [npmSpecifiers(), scriptThread],
  });
  return new Map([
    ...outputFiles.map(({ path, text }) => [`functions/${relative(functionsDir, path)}`, text] as const),
    [`functions/${SHARED_CODE}/LICENSE`, licencesOf(Object.keys(metafile.inputs))] as const,
  ]);
}

/** Makes the release of this checkout. */
export async function buildRelease(): Promise<ProjectRelease> {
  const { version } = JSON.parse(readFileSync(join(clientDir, 'package.json'), 'utf8')) as { version: string };
  const dir = join(projectDir, 'supabase/migrations');
  const migrations = readdirSync(dir).filter((name) => name.endsWith('.sql')).toSorted()
    .map((name) => [`migrations/${name}`, readFileSync(join(dir, name), 'utf8')] as const);
  return { version, files: new Map([...migrations, ...await bundleFunctions()]) };
}
