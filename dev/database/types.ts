import { writeFileSync } from 'node:fs';
import { withScratchCluster } from '../stack/postgres/cluster.ts';
import { createMigratedDatabase, databaseTypesFile, generateTypes } from './schema.ts';

await withScratchCluster(async (cluster) => {
  await createMigratedDatabase(cluster, 'migrated');
  writeFileSync(databaseTypesFile, await generateTypes(cluster, 'migrated'));
});
console.log('Wrote types/database.types.ts.');
