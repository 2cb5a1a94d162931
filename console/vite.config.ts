import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const AJV = '@rjsf/validator-ajv8';

/**
 * Leaves out the form library's own validator, which a helper for tests names. It makes code of schemas, which the
 * policy of the pages forbids.
 */
const withoutAjv: Plugin = {
  name: 'console-without-ajv',
  enforce: 'pre',
  resolveId: (id) => id === AJV ? `\0${AJV}` : undefined,
  load: (id) => id === `\0${AJV}` ? 'export default undefined;' : undefined,
};

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [withoutAjv, react()],
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
