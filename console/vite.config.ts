import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** What is imported for things that the console has no use for, and what stands in its place. */
const LEFT_OUT: Record<string, string> = {
  // The form library's own validator, which a helper for tests names. It makes code of schemas, which the policy of the
  // pages forbids.
  '@rjsf/validator-ajv8': 'export default undefined;',
  // Texts of schemas are shown as they are: nothing of a stranger's is Markdown.
  'markdown-to-jsx/react': 'export const Markdown = ({ children }) => children;',
  // Formats are taken out of schemas (console/shared/form/prepare_schema.ts), so no field is one of dates.
  '@mantine/dates': 'export const DateInput = undefined, TimeInput = undefined;',
  dayjs: 'export default { extend() {} };',
  'dayjs/plugin/customParseFormat': 'export default undefined;',
  // References of schemas lead to places in the same schema, by the same file.
  'fast-uri': 'export default { equal: (a, b) => a === b, resolve: (_base, reference) => reference };',
  // Live news come as a stream of events, and nothing is stored as a file.
  '@supabase/realtime-js': 'export class RealtimeClient { async setAuth() {} }',
  '@supabase/storage-js': 'export class StorageClient {} export class StorageApiError extends Error {}',
};

/** Leaves packages out that would only make the pages larger. */
const leftOut: Plugin = {
  name: 'console-left-out',
  enforce: 'pre',
  resolveId: (id) => Object.hasOwn(LEFT_OUT, id) ? `\0${id}` : undefined,
  load: (id) => id.startsWith('\0') && Object.hasOwn(LEFT_OUT, id.slice(1)) ? LEFT_OUT[id.slice(1)] : undefined,
};

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [leftOut, react()],
  build: {
    target: 'es2022',
    // Every file is one of its own: the policy of the pages allows no script that stands in them.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // tests/console/bundle_size.test.ts measures what a page loads.
    chunkSizeWarningLimit: 1_000,
    emptyOutDir: true,
  },
});
