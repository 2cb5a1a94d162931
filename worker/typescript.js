import { register } from 'node:module';
import process from 'node:process';

// Has Node read TypeScript, as tsx does, but without naming each closure again whenever it is made (esbuild's keepNames,
// which tsx can't be told to leave): that took a fifth of what a run costs a worker.
register('./typescript_hooks.js', import.meta.url);
process.setSourceMapsEnabled(true);
