import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { FIRST_PAGES } from '../../runner/script/saved_memory.ts';
import { scriptLimits } from '../../types/limits/scripts.ts';
import { projectDir } from '../stack/paths.ts';
import { meter } from './meter.ts';

const require = createRequire(import.meta.url);

/** The scripts that the sandbox evaluates before a flow's script: the sandbox's own part, and one for each library. */
const GUESTS = ['main', 'typescript', 'jsonata', 'mustache', 'csv'];

const generated = (name: string): string => join(projectDir, `runner/script/generated/${name}.ts`);

const HEAD = '// Written by `npm run script:assets`.\n';

const wasmText = (wasm: Uint8Array): string =>
  `${HEAD}${
    licencesOf(['node_modules/@jitl/quickjs-wasmfile-release-sync/'])
  }/** QuickJS as WebAssembly, metered, in gzip and base64. */\nexport const quickjsWasm =\n  '${
    gzipSync(wasm, { level: 9 }).toString('base64')
  }';\n`;

const bundleText = (name: string, { text, licences }: Bundle): string =>
  `${HEAD}${licences}/** The text of runner/script/guest/${name}.js with its packages, for the sandbox. */\nexport const ${name}Text = ${
    JSON.stringify(text)
  };\n`;

/** The licences of the packages that these files belong to, as a comment. */
function licencesOf(files: string[]): string {
  const packages = new Set(files.flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []));
  const texts = [...packages].toSorted().map((name) => {
    const folder = join(projectDir, 'node_modules', name);
    const file = readdirSync(folder).find((each) => each.toUpperCase().startsWith('LICEN'));
    if (file === undefined) throw new Error(`${name} has no licence file`);
    return `${name}\n\n${readFileSync(join(folder, file), 'utf8').trim()}`;
  });
  return texts.length === 0 ? '' : `/*\n${texts.join('\n\n').replaceAll('*/', '* /')}\n*/\n`;
}

interface Bundle {
  text: string;
  licences: string;
}

/** Makes QuickJS, metered. */
const makeWasm = (): Uint8Array =>
  meter(readFileSync(require.resolve('@jitl/quickjs-wasmfile-release-sync/wasm')), FIRST_PAGES);

/** Bundles a script of GUESTS with its packages. */
async function bundle(name: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(projectDir, `runner/script/guest/${name}.js`)],
    bundle: true,
    write: false,
    metafile: true,
    absWorkingDir: projectDir,
    format: 'iife',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'es2023',
    minify: true,
    legalComments: 'none',
    charset: 'ascii',
    define: {
      MAX_DEPTH: String(scriptLimits.sandbox_output_levels.value),
      MAX_MESSAGE: String(scriptLimits.sandbox_error_characters.value),
    },
  });
  return { text: outputFiles[0]!.text, licences: licencesOf(Object.keys(metafile.inputs)) };
}

/** Returns the paths of the generated files that differ from the output of their sources. */
export async function staleAssets(): Promise<string[]> {
  const texts = await Promise.all(GUESTS.map(async (name) => ({ name, text: bundleText(name, await bundle(name)) })));
  const stale = texts.filter(({ name, text }) => readFileSync(generated(name), 'utf8') !== text);
  // The compressed bytes depend on the version of Node, so the uncompressed modules are compared.
  const stored = /'([A-Za-z0-9+/=]+)'/.exec(readFileSync(generated('quickjs_wasm'), 'utf8'))?.[1] ?? '';
  const isFresh = gunzipSync(Buffer.from(stored, 'base64')).equals(makeWasm());
  return [...stale.map(({ name }) => name), ...isFresh ? [] : ['quickjs_wasm']].map(generated);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of GUESTS) writeFileSync(generated(name), bundleText(name, await bundle(name)));
  writeFileSync(generated('quickjs_wasm'), wasmText(makeWasm()));
}
