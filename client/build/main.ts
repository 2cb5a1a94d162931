import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buildClient } from './build.ts';
import { clientDir } from './paths.ts';

const dir = join(clientDir, 'dist');
await buildClient(dir);
for (const name of readdirSync(dir)) console.log(`${String(statSync(join(dir, name)).size).padStart(8)} ${name}`);
console.log(`The package is in ${dir}: npm pack or npm publish that folder.`);
