import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { denoBinary, functionNames } from '../../dev/stack/functions.ts';
import { projectDir } from '../../dev/stack/paths.ts';
import { type CliDeploy, startCliDeploy } from './cli_deploy.ts';
import type { Upload } from './management_api.ts';
import { runsLongTests } from '../support/long_tests.ts';

const IMPORT_MAP = 'functions/deno.json';

let cli: CliDeploy;

beforeAll(async () => {
  cli = await startCliDeploy();
});
afterAll(() => cli?.close());

let deployment: Promise<Upload[]> | undefined;

/** The uploads of the CLI when it deploys all functions. All tests share this one deploy. */
const uploads = (): Promise<Upload[]> => deployment ??= cli.deploy();

async function uploadOf(name: string): Promise<Upload> {
  const [upload, ...others] = (await uploads()).filter(({ slug }) => slug === name);
  if (upload === undefined || others.length > 0) throw new Error(`${name}: ${1 + others.length} uploads, not one`);
  return upload;
}

/** Runs Deno. Rejects with Deno's output if the exit code is not 0. */
async function runDeno(cwd: string, args: string[]): Promise<string> {
  const env = { ...process.env, NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1' };
  const { stdout } = await promisify(execFile)(denoBinary(), args, { cwd, env, maxBuffer: 64 * 2 ** 20 });
  return stdout;
}

interface ModuleGraph {
  modules: { specifier: string; dependencies?: { specifier: string }[] }[];
}

/** The files of the project that belong to a function, and the packages that these files import. */
interface FunctionGraph {
  files: string[];
  packages: string[];
}

async function askGraph(name: string): Promise<FunctionGraph> {
  const info = await runDeno(projectDir, ['info', '--json', `functions/${name}/index.ts`]);
  const local = (JSON.parse(info) as ModuleGraph).modules
    .filter(({ specifier }) => specifier.startsWith('file:'))
    .map((module) => ({ ...module, path: relative(projectDir, fileURLToPath(module.specifier)) }))
    .filter(({ path }) => !path.startsWith('node_modules/'));
  const specifiers = local.flatMap(({ dependencies = [] }) => dependencies.map(({ specifier }) => specifier));
  return {
    files: local.map(({ path }) => path),
    // Specifiers that begin with node: are built in.
    packages: [...new Set(specifiers.filter((specifier) => !/^(\.|node:)/.test(specifier)))],
  };
}

const graphs = new Map<string, Promise<FunctionGraph>>();

/** Returns the module graph of a function. Deno computes it once for each function. */
function readGraph(name: string): Promise<FunctionGraph> {
  const graph = graphs.get(name) ?? askGraph(name);
  graphs.set(name, graph);
  return graph;
}

/**
 * Type-checks uploads without network, with the uploaded import map. Each upload has its own folder, which holds
 * nothing else but the installed packages. The `npm:` versions of the import map must equal those of node_modules.
 */
async function typeCheck(...uploads: Upload[]): Promise<void> {
  const dir = mkdtempSync(join(cli.scratchDir, 'uploads-'));
  await symlink(join(projectDir, 'node_modules'), join(dir, 'node_modules'));
  for (const { metadata, files } of uploads) {
    for (const [path, content] of files) {
      const target = join(dir, metadata.name, path);
      if (relative(join(dir, metadata.name), target).startsWith('..')) {
        throw new Error(`${path} is outside of the project`);
      }
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, content);
    }
  }
  const [map, ...others] = uploads.map(({ metadata, files }) =>
    new TextDecoder().decode(files.get(metadata.import_map_path))
  );
  expect(others.filter((other) => other !== map)).toEqual([]);
  await writeFile(join(dir, 'deno.json'), map!);
  // Deno takes the types of built-in modules (node:net) from a package that must be listed beside the import map.
  await writeFile(join(dir, 'package.json'), JSON.stringify({ devDependencies: { '@types/node': '*' } }));
  const offline = ['--node-modules-dir=manual', '--cached-only', '--no-lock'];
  const entrypoints = uploads.map(({ metadata }) => join(metadata.name, metadata.entrypoint_path));
  await runDeno(dir, ['check', '--config=deno.json', ...offline, ...entrypoints]);
}

const names = functionNames();

test.each(names)('the CLI deploys the function %s with the settings of config.toml', async (name) => {
  const { metadata } = await uploadOf(name);
  expect(metadata).toEqual({
    name,
    entrypoint_path: `functions/${name}/index.ts`,
    import_map_path: IMPORT_MAP,
    static_patterns: [],
    verify_jwt: false,
  });
});

test.each(names)('the CLI uploads only the imports of the function %s and the import map', async (name) => {
  const [{ files }, graph] = await Promise.all([uploadOf(name), readGraph(name)]);
  expect([...files.keys()].sort()).toEqual([IMPORT_MAP, ...graph.files].sort());
});

// The type-check can't notice that the import map lacks a package, because Deno also finds packages in the node_modules
// folder.
test.each(names)('the import map names every package that the function %s imports', async (name) => {
  const { packages } = await readGraph(name);
  const { imports } = JSON.parse(await readFile(join(projectDir, IMPORT_MAP), 'utf8')) as {
    imports: Record<string, string>;
  };
  const isMapped = (specifier: string) =>
    Object.keys(imports).some((key) => key === specifier || (key.endsWith('/') && specifier.startsWith(key)));
  expect(packages).not.toEqual([]);
  expect(packages.filter((specifier) => !isMapped(specifier))).toEqual([]);
});

// One process checks all uploads, so that it reads the types of the packages only once. On a busy machine this takes
// several minutes. So without LONG_TESTS, the process checks only the function with the most files and one with few
// files.
const checkedNames = runsLongTests ? names : ['runner', 'wallets'];

test('the upload of each function passes the type check by itself', async () => {
  await typeCheck(...await Promise.all(checkedNames.map(uploadOf)));
}, 600_000);

/** Makes an upload that lacks the first file whose path matches. The error of the type-check must name that file. */
async function lacking(name: string, pattern: RegExp): Promise<{ upload: Upload; missing: string }> {
  const upload = await uploadOf(name);
  const missing = [...upload.files.keys()].find((path) => pattern.test(path));
  if (missing === undefined) throw new Error(`${name} has no file ${pattern}`);
  const files = new Map(upload.files);
  files.delete(missing);
  return { upload: { ...upload, files }, missing };
}

// Proves that the type-check above can fail.
test('uploads without one source, or one node definition, fail the type check', async () => {
  const source = await lacking('wallets', /^types\/errors\.ts$/);
  const definition = await lacking('runner', /^runner\/nodes\/.*\.json$/);
  // Type-check only the module of the runner that imports the definition.
  const entrypoint_path = join(dirname(definition.missing), 'index.ts');
  const metadata = { ...definition.upload.metadata, entrypoint_path };
  const error = await typeCheck(source.upload, { ...definition.upload, metadata }).then(() => undefined, String);
  expect(error).toContain(`wallets/${source.missing}`);
  expect(error).toContain(`runner/${definition.missing}`);
});

test('the CLI deploys all functions by default, and a named one alone', async () => {
  expect((await uploads()).map(({ slug }) => slug).sort()).toEqual(names);
  expect(cli.api.bulkUpdates.map((slugs) => slugs.sort())).toEqual([names]);
  expect((await cli.deploy('flow')).map(({ slug }) => slug)).toEqual(['flow']);
});

test('the CLI calls only endpoints of the Management API that the stub answers', async () => {
  await uploadOf('flow');
  expect(cli.api.unknownRequests).toEqual([]);
});
