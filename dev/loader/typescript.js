import { register } from 'node:module';
import process from 'node:process';

// Makes Node read TypeScript as tsx does, but without naming each closure whenever it is made (esbuild's keepNames,
// which tsx can't turn off): naming the closures took a fifth of a worker's time for a run.
register('./typescript_hooks.js', import.meta.url);
process.setSourceMapsEnabled(true);
