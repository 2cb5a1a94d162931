import { register } from 'node:module';
import process from 'node:process';

// Makes Node read TypeScript as tsx does, but without esbuild's option keepNames, which tsx can't turn off. That option
// sets the name of each closure whenever it is made, which took a fifth of a worker's time for a run.
register('./typescript_hooks.js', import.meta.url);
process.setSourceMapsEnabled(true);
