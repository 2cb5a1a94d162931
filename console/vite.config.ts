import react from '@vitejs/plugin-react';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';
import { sectionsOf } from './docs/search/make_index.ts';

/** Packages and modules that other packages import but the console never uses, with their replacements. */
const LEFT_OUT: Record<string, string> = {
  // A helper of the form library imports this validator. The console uses another one, because the
  // Content-Security-Policy forbids code that is generated from schemas.
  '@rjsf/validator-ajv8': 'export default undefined;',
  // Texts of schemas are shown as plain text, because strangers write them.
  'markdown-to-jsx/react': 'export const Markdown = ({ children }) => children;',
  // Formats are removed from schemas (console/shared/form/prepare_schema.ts), so there are no date fields.
  '@mantine/dates': 'export const DateInput = undefined, TimeInput = undefined;',
  dayjs: 'export default { extend() {} };',
  'dayjs/plugin/customParseFormat': 'export default undefined;',
  // prepare_schema.ts allows no fields of files, colours and dates, and no sliders.
  './ColorWidget.js': 'export default undefined;',
  './FileWidget.js': 'export default undefined;',
  './RangeWidget.js': 'export default undefined;',
  './DateTime/index.js':
    'export const AltDateTimeWidget = undefined, AltDateWidget = undefined, DateWidget = undefined, DateTimeWidget = undefined, TimeWidget = undefined;',
  // References of schemas stay within the same schema, as prepare_schema.ts ensures.
  'fast-uri': 'export default { equal: (a, b) => a === b, resolve: (_base, reference) => reference };',
  // Live events come from a stream of the Edge Function, and the console stores no files, so these parts of supabase-js
  // are not used.
  '@supabase/realtime-js': 'export class RealtimeClient { async setAuth() {} }',
  '@supabase/storage-js': 'export class StorageClient {} export class StorageApiError extends Error {}',
};

/** Replaces the packages of `LEFT_OUT`, which would only make the pages larger. */
const leftOut: Plugin = {
  name: 'console-left-out',
  enforce: 'pre',
  resolveId: (id) => Object.hasOwn(LEFT_OUT, id) ? `\0${id}` : undefined,
  load: (id) => id.startsWith('\0') && Object.hasOwn(LEFT_OUT, id.slice(1)) ? LEFT_OUT[id.slice(1)] : undefined,
};

/**
 * Leaves the sandbox's WebAssembly file out of the build, because the JavaScript contains the same bytes
 * (runner/script/machine.ts).
 */
const noWasm: Plugin = {
  name: 'console-no-wasm',
  generateBundle(_options, bundle) {
    for (const name of Object.keys(bundle)) if (name.endsWith('.wasm')) delete bundle[name];
  },
};

const DOCS = join(import.meta.dirname, '../docs');
const DOCS_INDEX = 'virtual:docs-index';

const makeDocsIndex = () =>
  ['guides', 'reference', 'operating'].flatMap((folder) =>
    readdirSync(join(DOCS, folder)).filter((file) => file.endsWith('.md') && file !== 'README.md').sort()
      .flatMap((file) => sectionsOf(`${folder}/${file.slice(0, -3)}`, readFileSync(join(DOCS, folder, file), 'utf8')))
  );

/** Makes the index in which the console searches its documentation. */
const docsIndex: Plugin = {
  name: 'console-docs-index',
  resolveId: (id) => id === DOCS_INDEX ? `\0${id}` : undefined,
  load: (id) => id === `\0${DOCS_INDEX}` ? `export default ${JSON.stringify(makeDocsIndex())};` : undefined,
};

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [leftOut, noWasm, docsIndex, react()],
  // Workers are built as modules, so that each worker loads a parser only when it needs the parser.
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    // No file is inlined, because the content security policy forbids inline scripts.
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // By default, each script that loads a page lists all files of the page: 12 KiB of names for the editor. The list
      // is left out, so the browser gets the names from the page's own script, and the first visit to a page waits for
      // one more request.
      resolveDependencies: (_file, files, { hostType }) => hostType === 'html' ? files : [],
    },
    // tests/console/bundle_size.test.ts measures the size of the pages.
    chunkSizeWarningLimit: 1_000,
    emptyOutDir: true,
  },
});
